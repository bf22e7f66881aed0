// Package address finds the hosts in what people write: in lists, arguments and URLs.
package address

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/heed-robots/heed/origin"
)

// WithScheme returns the URL that people mean by a line of a list or an argument: if it begins with a host
// and has no scheme, such as "example.com/cart", it is read as https; all others are returned as they are.
func WithScheme(text string) string {
	if strings.HasPrefix(text, "https://") || strings.HasPrefix(text, "http://") || !IsHost(text) { // nearly always
		return text
	}
	return "https://" + text
}

// notHosts are schemes that a number may follow, such as tel:112. They look like a host with
// a port.
var notHosts = []string{"tel", "sms", "callto", "fax", "modem", "data"}

// IsHost reports whether an address without a scheme begins with a host: a name with a dot, a
// name with a port, an IP address, or "localhost".
func IsHost(address string) bool {
	host := origin.Authority(address)
	if strings.Contains(host, "@") || strings.HasSuffix(host, ":") && strings.HasPrefix(address[len(host):], "//") {
		return false // a mail address, or an unknown scheme such as "example.com://"
	}
	if _, err := origin.Parse("https://" + host); err != nil {
		return false
	}
	name, port, _ := strings.Cut(host, ":")
	return port != "" && !slices.Contains(notHosts, strings.ToLower(name)) || isDotted(name) || strings.EqualFold(name, "localhost") || host[0] == '['
}

// isDotted reports whether a name with a dot may be a host: it is an IP address, or its last
// label has more than digits. So "v1.2" is not a host.
func isDotted(name string) bool {
	if _, err := netip.ParseAddr(name); err == nil {
		return true
	}
	dot := strings.LastIndexByte(name, '.')
	return dot >= 0 && strings.Trim(name[dot:], ".0123456789") != ""
}
