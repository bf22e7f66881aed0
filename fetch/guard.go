package fetch

import (
	"context"
	"fmt"
	"net/netip"
	"syscall"
)

// guard refuses a connection to an address that is not public. The dialer asks
// it about the address that it is about to connect to, so a name that resolves
// to something else the second time does not pass.
func guard(_ context.Context, _, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("address %q: %w", address, err)
	}
	if !isPublic(at.Addr()) {
		return &PrivateAddressError{at.Addr()}
	}
	return nil
}

// A PrivateAddressError says that a connection was refused since its address is
// not public; see Fetcher.AllowPrivate.
type PrivateAddressError struct{ Addr netip.Addr }

func (e *PrivateAddressError) Error() string {
	return fmt.Sprintf("address %s is not public, and private ones are not allowed", e.Addr)
}

// reserved are the networks of no public server that netip does not know, from
// the registries of special-purpose addresses (RFC 6890 and its successors).
var reserved = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),       // this network
	netip.MustParsePrefix("100.64.0.0/10"),   // shared by carriers
	netip.MustParsePrefix("192.0.0.0/24"),    // protocol assignments
	netip.MustParsePrefix("192.0.2.0/24"),    // documentation
	netip.MustParsePrefix("192.88.99.0/24"),  // 6to4 relays
	netip.MustParsePrefix("198.18.0.0/15"),   // benchmarks
	netip.MustParsePrefix("198.51.100.0/24"), // documentation
	netip.MustParsePrefix("203.0.113.0/24"),  // documentation
	netip.MustParsePrefix("240.0.0.0/4"),     // for later, and broadcast
	netip.MustParsePrefix("64:ff9b:1::/48"),  // local translation to IPv4
	netip.MustParsePrefix("100::/64"),        // discarded
	netip.MustParsePrefix("2001::/23"),       // protocol assignments, Teredo
	netip.MustParsePrefix("2001:db8::/32"),   // documentation
	netip.MustParsePrefix("3fff::/20"),       // documentation
	netip.MustParsePrefix("5f00::/16"),       // segment routing
	netip.MustParsePrefix("fec0::/10"),       // site-local, once
}

// embedding are the IPv6 networks whose addresses hold one of IPv4, and where.
var embedding = []struct {
	prefix netip.Prefix
	at     int
}{
	{netip.MustParsePrefix("::/96"), 12},
	{netip.MustParsePrefix("64:ff9b::/96"), 12},
	{netip.MustParsePrefix("2002::/16"), 2},
}

// isPublic reports whether an address is one that a server of the web can have.
func isPublic(a netip.Addr) bool {
	a = a.Unmap().WithZone("")
	if !a.IsGlobalUnicast() || a.IsPrivate() {
		return false
	}
	for _, prefix := range reserved {
		if prefix.Contains(a) {
			return false
		}
	}
	for _, e := range embedding {
		if e.prefix.Contains(a) {
			bytes := a.As16()
			return isPublic(netip.AddrFrom4([4]byte(bytes[e.at : e.at+4])))
		}
	}
	return true
}
