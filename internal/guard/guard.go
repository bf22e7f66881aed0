// Package guard refuses addresses that are not public: a hostile site must not reach the crawler's own network.
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

// Address returns a PrivateError for an address that is not public. Dialers call Address when they connect, because a name
// can have other addresses than at an earlier check (DNS rebinding).
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

// Host returns a PrivateError for a private address, for a name of this machine, and for a number such as "127.1". It
// checks requests through a proxy, because heed does not see to which address the proxy connects.
func Host(host string) error {
	name := host
	if !isASCII(host) { // net/http converts such names, too: "１２７.0.0.1" becomes 127.0.0.1
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
	if last == "" || slices.Contains(thisMachine, last) || isIPv4Label(last) {
		return &PrivateError{strconv.Quote(host)}
	}
	return nil
}

// thisMachine has the last labels of names for this machine (RFC 6761, Debian, Fedora). None is a top-level domain.
var thisMachine = []string{
	"localhost", "localhost4", "localhost6", "localdomain", "localdomain4", "localdomain6", "ip6-localhost", "ip6-loopback",
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= 0x80 })
}

// IsNumber reports whether programs may read a host as an IPv4 address, as with "127.1" or "0x7f000001".
func IsNumber(host string) bool {
	return host != "" && isIPv4Label(host[strings.LastIndexByte(host, '.')+1:])
}

// isIPv4Label reports whether the last label of a host is a number, such as 1 or 0x7f. No top-level domain is a
// number.
func isIPv4Label(label string) bool {
	if hex, ok := strings.CutPrefix(label, "0x"); ok {
		return strings.Trim(hex, "0123456789abcdef") == ""
	}
	return strings.Trim(label, "0123456789") == ""
}

// A PrivateError means that heed did not connect, because the address is not public.
type PrivateError struct{ Address string }

// Setting is the end of the text of each error about a private address, in words for Go programs. The package
// internal/report/live has the words for those who run heed.
const Setting = ": to allow it, set AllowPrivate of the Crawler or Fetcher"

func (e *PrivateError) Error() string {
	return fmt.Sprintf("the address %s is not public%s", e.Address, Setting)
}

// reservedNetworks have no public servers, and netip.Addr does not say so (RFC 6890 and its successors).
var reservedNetworks = prefixes(
	"0.0.0.0/8",       // addresses of "this network"
	"100.64.0.0/10",   // addresses that a provider shares between customers (carrier-grade NAT)
	"192.0.0.0/24",    // protocol assignments of IANA
	"192.0.2.0/24",    // examples in documentation
	"192.88.99.0/24",  // relays of 6to4
	"198.18.0.0/15",   // benchmark tests
	"198.51.100.0/24", // examples in documentation
	"203.0.113.0/24",  // examples in documentation
	"240.0.0.0/4",     // reserved for the future, and the broadcast address
	"2001::/23",       // protocol assignments of IANA
	"2001:db8::/32",   // examples in documentation
	"3ffe::/16",       // the former test network 6bone
	"3fff::/20",       // examples in documentation
)

// unicast is the part of IPv6 that contains all public networks.
var unicast = netip.MustParsePrefix("2000::/3")

// embedding has the IPv6 networks whose addresses contain an IPv4 address, as 64:ff9b::127.0.0.1 does.
var embedding = []struct {
	prefix netip.Prefix
	offset int    // of the IPv4 address, in bytes
	mask   uint32 // the four bytes XOR mask are the IPv4 address
}{
	{netip.MustParsePrefix("::/96"), 12, 0},             // "IPv4-compatible" addresses, which are obsolete
	{netip.MustParsePrefix("::ffff:0:0:0/96"), 12, 0},   // addresses of SIIT
	{netip.MustParsePrefix("64:ff9b::/96"), 12, 0},      // addresses of NAT64
	{netip.MustParsePrefix("2002::/16"), 2, 0},          // addresses of 6to4
	{netip.MustParsePrefix("2001::/32"), 4, 0},          // addresses of Teredo, with the IPv4 address of the server
	{netip.MustParsePrefix("2001::/32"), 12, 1<<32 - 1}, // addresses of Teredo, with the inverted IPv4 address of the client
}

// isPublic reports whether an address can be the address of a public server. If an IPv6 address contains an IPv4 address,
// the IPv4 address must be public.
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
			if !isPublic(ipv4(bytes[e.offset:], e.mask)) {
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

// isISATAP reports whether an IPv6 address has the ISATAP form, which ends with an IPv4 address (RFC 5214).
func isISATAP(a [16]byte) bool {
	return binary.BigEndian.Uint32(a[8:])&^(2<<24) == 0x5efe
}

func isReserved(a netip.Addr) bool {
	return slices.ContainsFunc(reservedNetworks, func(p netip.Prefix) bool { return p.Contains(a) })
}

func prefixes(texts ...string) (all []netip.Prefix) {
	for _, text := range texts {
		all = append(all, netip.MustParsePrefix(text))
	}
	return all
}
