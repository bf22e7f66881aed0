package audit

import (
	"net/netip"
	"time"

	"github.com/heed-robots/heed/internal/printable"
)

// Identity says whether a request is really from the crawler that its User-Agent names (AU-4). The zero Identity is
// NotCheckable.
type Identity uint8

const (
	NotCheckable Identity = iota // no list of the crawler's addresses can decide, or the host name of the address could not be looked up
	Verified                     // the operator published the address in a list, or the host name of the address belongs to the operator
	Impostor                     // the address does not belong to the operator, or no crawler really sends this name (AU-7)

	unresolved // the identity until the host name of the address is looked up
)

var identityNames = [...]string{"not-checkable", "verified", "impostor", "unresolved"}

func (i Identity) String() string { return printable.Name(identityNames[:], i, "not-checkable") }

func (i Identity) MarshalText() ([]byte, error) { return []byte(i.String()), nil }

// If the first list of addresses is later than a request by more than this time, the list cannot verify the request: the
// address may have belonged to somebody else.
const maxLater = 30 * day

// identify returns the Identity of a request from the address a. The proof says how the Identity was found.
func (r *run) identify(w *crawler, a netip.Addr, isMasked bool, at int64) (Identity, proof) {
	if w.isFalse {
		return Impostor, proof{}
	}
	if !a.IsValid() {
		return NotCheckable, proof{}
	}
	network := netip.PrefixFrom(a, a.BitLen())
	if isMasked {
		network = networkOf(a)
	}
	list, isLater := w.lists.At(time.Unix(0, at))
	if list == nil {
		if r.Resolver != nil && len(w.hosts) > 0 && network.IsSingleIP() {
			return unresolved, proof{}
		}
		return NotCheckable, proof{}
	}
	match, hasSome, hasAll := list.Find(network)
	isMuchLater := isLater && list.Dated.UnixNano()-at > maxLater
	switch how := (proof{list: list, isLater: isLater, match: match, isPartly: hasSome && !hasAll}); {
	case hasAll && !isMuchLater:
		return Verified, how
	case isLater, hasSome:
		return NotCheckable, how
	default:
		return Impostor, how
	}
}

// networkOf returns the addresses that an address may stand for in a log with masked addresses.
func networkOf(a netip.Addr) netip.Prefix {
	a = a.Unmap().WithZone("")
	bits := a.BitLen()
	zeros := 0 // at the end
	for bytes := a.AsSlice(); zeros < len(bytes) && bytes[len(bytes)-1-zeros] == 0; {
		zeros++
	}
	switch {
	case a.Is4():
		bits -= 8 * zeros
	case zeros >= 10:
		bits = min(48, bits-8*zeros)
	case zeros >= 8:
		bits = 64
	}
	return netip.PrefixFrom(a, bits)
}
