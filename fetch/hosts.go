package fetch

import (
	"fmt"

	"github.com/heed-robots/heed/origin"
)

// A hostError means that Fetcher.Hosts does not allow a host.
type hostError struct{ err error }

func (e *hostError) Error() string { return fmt.Sprintf("no request was sent: %v", e.err) }
func (e *hostError) Unwrap() error { return e.err }

// checkHost returns an error if Fetcher.Hosts does not allow the host of a URL. A redirect may
// write a host in other ways than its normal form, such as "EXAMPLE.com.", so it is read as the
// URL of a question is. A host that cannot be read is not allowed.
func (f *Fetcher) checkHost(url string) error {
	if f.Hosts == nil {
		return nil
	}
	o, err := origin.Parse(url)
	if err == nil {
		err = f.Hosts(o.Host())
	}
	if err != nil {
		return &hostError{err}
	}
	return nil
}
