package filtercmd

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/heed-robots/heed/cmd/heed/internal/captures"
	"github.com/heed-robots/heed/internal/bulk/archive"
	bulksource "github.com/heed-robots/heed/internal/bulk/source"
)

// A compileState is what --resume needs from an interrupted run.
type compileState struct {
	Position bulksource.Position `json:"position"`
	Rejects  string              `json:"rejects"`
	Length   int64               `json:"length"`
	Rejected *captures.Places    `json:"rejected"`
	Escapes  *captures.Places    `json:"escapes"`
}

func (o *compile) begin() (err error) {
	w, text, err := archive.Resume(o.output)
	if err != nil {
		return err
	}
	state := compileState{Rejected: &o.Rejections, Escapes: &o.Escapes.Places}
	switch {
	case w != nil && !o.resume:
		return errors.Join(fmt.Errorf("the file %s is from a run that was interrupted: continue that run with --resume, or delete the file to start again", archive.PartialOf(o.output)), w.Close())
	case w != nil:
		if err := json.Unmarshal(text, &state); err != nil {
			return errors.Join(fmt.Errorf("%s: %w; delete this file to start again", archive.PartialOf(o.output), err), w.Close())
		}
		o.From, o.isSaved = &state.Position, true
	default:
		if w, err = archive.Create(o.output); err != nil {
			return err
		}
	}
	o.writer = w
	if err = o.openRejects(&state); err != nil {
		return errors.Join(err, w.Close())
	}
	return nil
}

func (o *compile) openRejects(before *compileState) (err error) {
	if o.From != nil && before.Rejects != o.rejects {
		return fmt.Errorf("--rejects %s differs from the interrupted run, which had %s: give the same arguments as before, or delete %s to start again", cmp.Or(o.rejects, "(none)"), cmp.Or(before.Rejects, "none"), archive.PartialOf(o.output))
	}
	if o.From == nil {
		o.rejectsTo, err = os.Create(cmp.Or(o.rejects, os.DevNull))
		return err
	}
	if o.rejectsTo, err = os.OpenFile(cmp.Or(o.rejects, os.DevNull), os.O_RDWR, 0); err != nil || !o.hasRejects() {
		return err
	}
	length, err := o.rejectsTo.Seek(0, io.SeekEnd)
	if err == nil && length < before.Length {
		err = fmt.Errorf("the file of --rejects, %s, has become shorter since the run was interrupted: delete %s to start again", o.rejects, archive.PartialOf(o.output))
	}
	if err == nil {
		_, err = o.rejectsTo.Seek(before.Length, io.SeekStart) // what comes after Length is written again
	}
	if err != nil {
		err = errors.Join(err, o.rejectsTo.Close())
	}
	return err
}

func (o *compile) hasRejects() bool {
	info, err := o.rejectsTo.Stat()
	return err == nil && info.Mode().IsRegular()
}

// An interrupted run may have left lines after the present end of the file. They are cut off.
func (o *compile) closeRejects() error {
	var err error
	if length, ok := o.lengthOfRejects(); ok {
		err = o.rejectsTo.Truncate(length)
	}
	return errors.Join(err, o.rejectsTo.Close())
}

func (o *compile) lengthOfRejects() (int64, bool) {
	if !o.hasRejects() {
		return 0, false
	}
	length, err := o.rejectsTo.Seek(0, io.SeekCurrent)
	return length, err == nil
}

// saveEvery is a variable only for tests.
var saveEvery = 5 * time.Second

func (o *compile) saveOften(stop context.CancelCauseFunc) (end func()) {
	done := make(chan struct{})
	var saving sync.WaitGroup
	saving.Go(func() {
		again := time.NewTicker(saveEvery)
		defer again.Stop()
		for {
			select {
			case <-done:
				return
			case <-again.C:
			}
			if err := o.save(); err != nil {
				stop(err)
				return
			}
		}
	})
	return func() {
		close(done)
		saving.Wait()
	}
}

func (o *compile) save() error {
	return o.Pause(func(p bulksource.Position) error {
		o.isSaved = true
		state := compileState{Position: p, Rejects: o.rejects, Rejected: &o.Rejections, Escapes: &o.Escapes.Places}
		if length, ok := o.lengthOfRejects(); ok {
			state.Length = length
			if err := o.rejectsTo.Sync(); err != nil {
				return err
			}
		}
		text, err := json.Marshal(state)
		if err != nil {
			return err
		}
		return o.writer.Save(text)
	})
}
