// Package guard tells addresses of the public internet from others, so that nobody
// outside can send a crawler to the machines next to it.
package guard

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/idna"
)

// Address refuses an address with a port that is not public. A dialer asks it about
// the address that it is about to connect to, so a name that resolves to something
// else the second time does not pass.
func Address(address string) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("address %q: %w", address, err)
	}
	if !isPublic(at.Addr()) {
		return &PrivateError{at.Addr().String()}
	}
	return nil
}

// Host refuses the host of a URL that says by itself that it is not public: a private
// address, this machine, or a number that some read as an address. It is for what a
// proxy connects to, of which nothing else is known. The host of an IPv6 address
// comes without brackets.
func Host(host string) error {
	name := host
	if !isASCII(host) { // as net/http does: "１２７.0.0.1" is 127.0.0.1
		var err error
		if name, err = idna.Lookup.ToASCII(host); err != nil {
			return fmt.Errorf("host %q: %w", host, err)
		}
	}
	name = strings.ToLower(strings.TrimRight(name, "."))
	if address, err := netip.ParseAddr(name); err == nil {
		if !isPublic(address) {
			return &PrivateError{address.String()}
		}
		return nil
	}
	last := name[strings.LastIndexByte(name, '.')+1:]
	if last == "" || slices.Contains(thisMachine, last) || isIPv4Label(last) { // "127.1", "0x7f000001"
		return &PrivateError{strconv.Quote(host)}
	}
	return nil
}

// thisMachine are last labels of names that the hosts file of a system gives to itself
// (RFC 6761, Debian, Fedora). No top-level domain is one.
var thisMachine = []string{
	"localhost", "localhost4", "localhost6", "localdomain", "localdomain4", "localdomain6", "ip6-localhost", "ip6-loopback",
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= 0x80 })
}

// isIPv4Label reports whether the last label of a host makes the host an IPv4 address, as
// browsers and C libraries read it. No top-level domain is one.
func isIPv4Label(label string) bool {
	if hex, ok := strings.CutPrefix(label, "0x"); ok {
		return strings.Trim(hex, "0123456789abcdef") == ""
	}
	return strings.Trim(label, "0123456789") == ""
}

// A PrivateError says that a connection was refused since its address is not public.
type PrivateError struct{ Address string }

// Error names the field that allows it; fetch.Fetcher and heed.Crawler have one.
func (e *PrivateError) Error() string {
	return fmt.Sprintf("address %s is not public, and private ones are not allowed (AllowPrivate)", e.Address)
}

// reserved are the networks of no public server that netip does not know, from
// the registries of special-purpose addresses (RFC 6890 and its successors).
// Those of IPv6 lie within unicast.
var reserved = prefixes(
	"0.0.0.0/8",       // this network
	"100.64.0.0/10",   // shared by carriers
	"192.0.0.0/24",    // protocol assignments
	"192.0.2.0/24",    // documentation
	"192.88.99.0/24",  // 6to4 relays
	"198.18.0.0/15",   // benchmarks
	"198.51.100.0/24", // documentation
	"203.0.113.0/24",  // documentation
	"240.0.0.0/4",     // for later, and broadcast
	"2001::/23",       // protocol assignments
	"2001:db8::/32",   // documentation
	"3ffe::/16",       // the 6bone, once
	"3fff::/20",       // documentation
)

// unicast is what of IPv6 is given to networks of the internet.
var unicast = netip.MustParsePrefix("2000::/3")

// embedding are the IPv6 networks whose addresses stand for one of IPv4, and
// where it is in them.
var embedding = []struct {
	prefix netip.Prefix
	at     int
	mask   uint32 // that it is combined with
}{
	{netip.MustParsePrefix("::/96"), 12, 0},             // "compatible", once
	{netip.MustParsePrefix("::ffff:0:0:0/96"), 12, 0},   // SIIT
	{netip.MustParsePrefix("64:ff9b::/96"), 12, 0},      // NAT64
	{netip.MustParsePrefix("2002::/16"), 2, 0},          // 6to4
	{netip.MustParsePrefix("2001::/32"), 4, 0},          // Teredo, its server
	{netip.MustParsePrefix("2001::/32"), 12, 1<<32 - 1}, // and its client
}

// isPublic reports whether an address is one that a server of the web can have:
// of IPv6 one in unicast. One that embeds an address of IPv4 is as public as that.
func isPublic(a netip.Addr) bool {
	a = a.Unmap().WithZone("")
	if a.Is4() {
		return a.IsGlobalUnicast() && !a.IsPrivate() && !isReserved(a)
	}
	bytes := a.As16()
	embeds := false
	for _, e := range embedding {
		if e.prefix.Contains(a) {
			embeds = true
			if !isPublic(ipv4(bytes[e.at:], e.mask)) {
				return false
			}
		}
	}
	if isISATAP(bytes) && !isPublic(ipv4(bytes[12:], 0)) {
		return false
	}
	return embeds || unicast.Contains(a) && !isReserved(a)
}

func ipv4(bytes []byte, mask uint32) netip.Addr {
	var four [4]byte
	binary.BigEndian.PutUint32(four[:], binary.BigEndian.Uint32(bytes)^mask)
	return netip.AddrFrom4(four)
}

// isISATAP reports whether an address of any network ends with one of IPv4, as
// RFC 5214 marks it. The bit that says whether it is unique does not matter.
func isISATAP(a [16]byte) bool {
	return binary.BigEndian.Uint32(a[8:])&^(2<<24) == 0x5efe
}

func isReserved(a netip.Addr) bool {
	return slices.ContainsFunc(reserved, func(p netip.Prefix) bool { return p.Contains(a) })
}

func prefixes(texts ...string) (all []netip.Prefix) {
	for _, text := range texts {
		all = append(all, netip.MustParsePrefix(text))
	}
	return all
}
