package fetch

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"

	"github.com/heed-robots/heed/origin"
)

func refusedPort(port uint64) error {
	return &Failure{PortRefused, fmt.Sprintf("port %d belongs to another service, so heed does not connect to it", port)}
}

// The ports that browsers refuse, in ascending order: https://fetch.spec.whatwg.org/#port-blocking
var badPorts = []uint16{
	0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95,
	101, 102, 103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179,
	389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587,
	601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061,
	6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
}

// The port is "" for the default port of the scheme, such as 21 for ftp. The dialer refuses a text that is no port number.
func checkPort(port string) error {
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return nil
	}
	if _, bad := slices.BinarySearch(badPorts, uint16(n)); bad {
		return refusedPort(n)
	}
	return nil
}

// A hostile FTP server could name the port of another service for the data.
func checkDataPort(port string) error {
	if n, err := strconv.ParseUint(port, 10, 16); err == nil && n < 1024 {
		return refusedPort(n)
	}
	return checkPort(port)
}

func (f *Fetcher) checkTarget(u *url.URL) error {
	if err := checkPort(u.Port()); err != nil || f.Hosts == nil {
		return err
	}
	o, err := origin.Parse(u.String())
	if err == nil {
		err = f.Hosts(o.Host())
	}
	if err != nil {
		return &Failure{HostRefused, fmt.Sprintf("no request was sent: %v", err)}
	}
	return nil
}
