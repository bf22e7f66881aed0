package fetch

import (
	"fmt"

	"github.com/heed-robots/heed/origin"
)

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
		return &Failure{HostRefused, fmt.Sprintf("no request was sent: %v", err)}
	}
	return nil
}
