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
	NotCheckable Identity = iota // no list of addresses and no host name can decide
	Verified                     // the address or its host name belongs to the operator
	Impostor                     // the address does not belong to the operator, or no crawler really sends this name (AU-7)

	unresolved // the identity until the host name of the address is looked up
)

var identityNames = [...]string{"not-checkable", "verified", "impostor", "unresolved"}

func (i Identity) String() string { return printable.Name(identityNames[:], i, "not-checkable") }

func (i Identity) MarshalText() ([]byte, error) { return []byte(i.String()), nil }

// An address may have belonged to somebody else before. So a list of addresses cannot verify a request that is older than
// the list by more than maxLater.
const maxLater = 30 * day

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

// Servers that hide addresses write zeros at the end: 192.0.2.0 can stand for any address in 192.0.2.0/24.
func networkOf(a netip.Addr) netip.Prefix {
	a = a.Unmap().WithZone("")
	bits := a.BitLen()
	zeros := 0
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
