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
	Rejects  int64               `json:"rejects"` // the length of that file
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
		o.From, o.rejected, o.samples, o.isSaved = &state.Position, state.Rejected, state.Samples, true
	default:
		if w, err = archive.Create(o.output); err != nil {
			return err
		}
	}
	o.writer = w
	if err = o.openRejects(state.Rejects); err != nil {
		return errors.Join(err, w.Close())
	}
	return nil
}

// openRejects opens the file of what cannot be used, behind what an interrupted run has written.
func (o *compile) openRejects(length int64) (err error) {
	o.rejectsTo, err = os.OpenFile(cmp.Or(o.rejects, os.DevNull), os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil || o.rejects == "" {
		return err
	}
	if err = o.rejectsTo.Truncate(length); err == nil {
		_, err = o.rejectsTo.Seek(0, io.SeekEnd)
	}
	if err != nil {
		err = errors.Join(err, o.rejectsTo.Close())
	}
	return err
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
		state := compileState{Position: p, Rejected: o.rejected, Samples: o.samples}
		if o.rejects != "" {
			if err := o.rejectsTo.Sync(); err != nil {
				return err
			}
			var err error
			if state.Rejects, err = o.rejectsTo.Seek(0, io.SeekCurrent); err != nil {
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
