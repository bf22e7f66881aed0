package verdicts

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/heed-robots/heed/internal/bulk"
	"github.com/heed-robots/heed/internal/bulk/archive"
	"github.com/heed-robots/heed/internal/bulk/capture"
	"github.com/heed-robots/heed/internal/bulk/source"
	"github.com/heed-robots/heed/internal/bulk/stream"
)

func init() {
	beam.RegisterType(reflect.TypeFor[file]())
	register.DoFn5x1[context.Context, file, func(string, []byte), func(int, []byte), func(tally), error](&readSource{})
	register.Emitter2[string, []byte]()
	register.Emitter2[int, []byte]()
}

func readSources(s beam.Scope, files []file) (captures, rejected, tallies beam.PCollection) {
	s = s.Scope("sources")
	return beam.ParDo3(s, &readSource{}, beam.Reshuffle(s, beam.CreateList(s, files)))
}

type readSource struct{}

// ProcessElement rejects a source of unknown format. If the operating system fails to read a file, ProcessElement
// returns an error. After this error, Beam tries again.
func (*readSource) ProcessElement(ctx context.Context, f file, emit func(string, []byte), reject func(int, []byte), count func(tally)) error {
	path, release, err := localPath(ctx, f.Name)
	if err != nil {
		return err
	}
	defer release()
	var t tally
	tell := func(name, place string, err error) {
		if name == path { // in all other cases, name is a file inside a folder
			name = f.Name
		}
		t.Records++
		log.Warnf(ctx, "source %s, %s: %v", name, place, err)
		reject(0, stream.AppendRejection(nil, &bulk.Rejection{Input: name, Place: place, Err: err}))
	}
	if _, err := source.KindOf(path); isOfSystem(err) {
		return err
	} else if err != nil {
		tell(path, "the whole file", err)
		count(t)
		return nil
	}
	var unread error
	order := f.Index << 40
	loader := source.Loader{
		Workers: 1, // with one worker, the captures come in the order of the records
		Add: func(c *capture.Capture) error {
			c.Order, c.At = order, c.At.UTC()
			order++
			emit(c.URL, sent(c))
			return nil
		},
		Rejected: func(r source.Rejection) {
			// The damaged part may have a rule that disallows. So heed does not reject only this part. The whole
			// source fails.
			if r.Source == path && isOfSystem(r.Err) || errors.Is(r.Err, archive.ErrDamaged) {
				unread = r.Err
			}
			tell(r.Source, r.Place, r.Err)
		},
	}
	err = loader.Load(ctx, []string{path})
	count(t)
	return cmp.Or(err, unread)
}

func isOfSystem(err error) bool {
	var of *fs.PathError
	return errors.As(err, &of)
}
