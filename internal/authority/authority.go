// Package authority finds the authority of a URL, such as "user@example.com:8080", and reads its parts. It has no tables of
// Unicode, because the page without a server uses it too. Package origin also reads the names of hosts.
package authority

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"github.com/heed-robots/heed/internal/printable"
)

// At returns the authority at the start of a text.
func At(text string) string {
	for i := range len(text) {
		if IsEnd(text[i]) {
			return text[:i]
		}
	}
	return text
}

// After returns what follows the authority of an absolute URL. It returns every other text unchanged, such as a path.
func After(target string) string {
	scheme, rest, ok := strings.Cut(target, "://")
	if !ok || strings.ContainsAny(scheme, "/?#") {
		return target
	}
	return rest[len(At(rest)):]
}

// IsEnd reports whether a byte ends an authority.
func IsEnd(c byte) bool { return c == '/' || c == '?' || c == '#' || c == '\\' }

// Split returns the host, and the port or "". The authority is given without user information.
func Split(authority string) (host, port string) {
	i := strings.LastIndexByte(authority, ':')
	if i < 0 || i < strings.LastIndexByte(authority, ']') || authority[0] == '[' && !strings.Contains(authority, "]") {
		return authority, ""
	}
	return authority[:i], authority[i+1:]
}

// Port returns the number of a port. A port that is not given is the default port.
func Port(port string, defaultPort uint16) (uint16, error) {
	if port == "" {
		return defaultPort, nil
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || n == 0 {
		return 0, fmt.Errorf("expected a port from 1 to 65535, found %s", printable.Quote(port))
	}
	return uint16(n), nil
}

// IPv6 returns the address of a host such as "[2001:db8::1]".
func IPv6(host string) (netip.Addr, error) {
	inner, ok := strings.CutSuffix(strings.TrimPrefix(host, "["), "]")
	addr, err := netip.ParseAddr(inner)
	if !ok || err != nil || !addr.Is6() || addr.Zone() != "" {
		return addr, fmt.Errorf("expected an IPv6 address in brackets, found %s", printable.Quote(host))
	}
	return addr, nil
}

// CheckNumber rejects hosts such as "0x7f.1", because browsers read it as 127.0.0.1, and other programs as a host name.
func CheckNumber(host string) error {
	last := host[strings.LastIndexByte(host, '.')+1:]
	if last[0] < '0' || last[0] > '9' {
		return nil // nearly every host ends here
	}
	digits := "0123456789"
	if hex, ok := strings.CutPrefix(last, "0x"); ok {
		last, digits = hex, "0123456789abcdef"
	}
	if strings.Trim(last, digits) != "" {
		return nil
	}
	if addr, err := netip.ParseAddr(host); err != nil || !addr.Is4() {
		return fmt.Errorf("expected an IPv4 address such as 192.0.2.1, found %s", printable.Quote(host))
	}
	return nil
}
