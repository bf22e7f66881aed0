package audit

import (
	"net/netip"
	"time"

	"github.com/heed-robots/heed/internal/printable"
)

// Identity says how certain it is that a request is from the crawler that it names (AU-4). The zero Identity is NotCheckable.
type Identity uint8

const (
	NotCheckable Identity = iota // there is no list of the crawler's addresses for this time, or the host name of the address could not be looked up
	Verified                     // the operator published the address in a list, or the host name of the address belongs to the operator
	Impostor                     // the address does not belong to the operator, or no crawler sends this name (AU-7)

	unresolved // the identity until the host name of the address is looked up
)

var identityNames = [...]string{"not-checkable", "verified", "impostor", "unresolved"}

// String returns the word for the identity in JSON, such as "not-checkable".
func (i Identity) String() string { return printable.Name(identityNames[:], i, "not-checkable") }

// MarshalText returns what String returns.
func (i Identity) MarshalText() ([]byte, error) { return []byte(i.String()), nil }

// maxLater is the longest time by which a list of addresses may be newer than a request that it verifies. Users fetch the list of
// today, and use it for logs of the last weeks. After a longer time, an address may belong to somebody else.
const maxLater = 30 * day

// identify finds out whether a request from an address is from the crawler that it names.
func (r *run) identify(w *who, a netip.Addr, at int64) (Identity, proof) {
	if w.isFalse {
		return Impostor, proof{}
	}
	if !a.IsValid() {
		return NotCheckable, proof{}
	}
	list, isLater := w.lists.At(time.Unix(0, at))
	if list == nil {
		if r.Resolver != nil && len(w.hosts) > 0 {
			return unresolved, proof{}
		}
		return NotCheckable, proof{}
	}
	match, ok := list.Find(a)
	isMuchLater := isLater && list.Dated.UnixNano()-at > maxLater
	switch how := (proof{list: list, isLater: isLater, match: match}); {
	case ok && !isMuchLater:
		return Verified, how
	case isLater:
		return NotCheckable, how
	default:
		return Impostor, how
	}
}
