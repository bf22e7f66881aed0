package source

import (
	"context"

	"github.com/heed-robots/heed/internal/bulk/archive"
)

// readArchive reads an archive of heed compile. It is an error if it cannot be opened, for example
// because it is of another version: then it has to be made again.
func (r *reader) readArchive(ctx context.Context) error {
	a, err := archive.Open(r.job.path)
	if err != nil {
		return err
	}
	defer a.Close()
	info, n, counted, before := a.Info(), int64(0), r.in.raw.max, r.order
	for c, err := range a.Captures() {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			r.reject("", err)
			continue
		}
		r.order = before + c.Order
		if err := r.add(c); err != nil {
			return err
		}
		n++
		if at := int64(float64(n) / float64(info.Captures) * float64(info.FileOctets)); at > counted {
			r.loader.bytes.Add(at - counted)
			counted = at
		}
	}
	return nil
}
