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

	"github.com/heed-robots/heed/internal/bulk/archive"
	bulksource "github.com/heed-robots/heed/internal/bulk/source"
)

// A compileState is where a run of "heed compile" can go on.
type compileState struct {
	Position bulksource.Position `json:"position"`
	Rejects  string              `json:"rejects"` // the name of that file
	Length   int64               `json:"length"`  // of it
	Rejected int64               `json:"rejected"`
	Samples  []string            `json:"samples"` // of what was rejected
}

// begin opens the outputs: those of the interrupted run with --resume, if there was one.
func (o *compile) begin() (err error) {
	w, text, err := archive.Resume(o.output)
	if err != nil {
		return err
	}
	var state compileState
	switch {
	case w != nil && !o.resume:
		return errors.Join(fmt.Errorf("%s is there: a run was interrupted; go on with --resume, or remove that file to begin again", archive.PartialOf(o.output)), w.Close())
	case w != nil:
		if err := json.Unmarshal(text, &state); err != nil {
			return errors.Join(fmt.Errorf("%s: %w; remove that file to begin again", archive.PartialOf(o.output), err), w.Close())
		}
		o.From, o.Rejections.Count, o.Samples, o.isSaved = &state.Position, state.Rejected, state.Samples, true
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

// openRejects opens the file of what cannot be used, behind what an interrupted run has written.
func (o *compile) openRejects(before *compileState) (err error) {
	if o.From != nil && before.Rejects != o.rejects {
		return fmt.Errorf("--rejects %s: the interrupted run had %s; give the same arguments, or remove %s to begin again", cmp.Or(o.rejects, "(none)"), cmp.Or(before.Rejects, "none"), archive.PartialOf(o.output))
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
		err = fmt.Errorf("--rejects %s has become shorter since the run was interrupted; remove %s to begin again", o.rejects, archive.PartialOf(o.output))
	}
	if err == nil {
		_, err = o.rejectsTo.Seek(before.Length, io.SeekStart) // what is behind it is written again
	}
	if err != nil {
		err = errors.Join(err, o.rejectsTo.Close())
	}
	return err
}

// hasRejects reports whether what cannot be used is written to a file, and not to a terminal or a pipe.
func (o *compile) hasRejects() bool {
	info, err := o.rejectsTo.Stat()
	return err == nil && info.Mode().IsRegular()
}

// closeRejects closes the file of what cannot be used, and cuts off what an interrupted run has written behind its last save.
func (o *compile) closeRejects() error {
	var err error
	if length, ok := o.lengthOfRejects(); ok {
		err = o.rejectsTo.Truncate(length)
	}
	return errors.Join(err, o.rejectsTo.Close())
}

// lengthOfRejects returns how much this run and those before have written to the file.
func (o *compile) lengthOfRejects() (int64, bool) {
	if !o.hasRejects() {
		return 0, false
	}
	length, err := o.rejectsTo.Seek(0, io.SeekCurrent)
	return length, err == nil
}

// saveEvery is the time after which what was compiled is saved again. Only a test changes it.
var saveEvery = 5 * time.Second

// saveOften saves the run from time to time, so that it can go on if it is interrupted, until end is called. It calls stop if
// that fails.
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

// save saves the run.
func (o *compile) save() error {
	return o.Pause(func(p bulksource.Position) error {
		o.isSaved = true
		state := compileState{Position: p, Rejects: o.rejects, Rejected: o.Rejections.Count, Samples: o.Samples}
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
