// Package address recognises hosts without a scheme, such as "example.com/cart", in lists and arguments that people write.
package address

import (
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/heed-robots/heed/internal/ascii"
	"github.com/heed-robots/heed/internal/authority"
)

// WithScheme adds https:// if a text begins with a host. Other texts stay unchanged.
func WithScheme(text string) string {
	if strings.HasPrefix(text, "https://") || strings.HasPrefix(text, "http://") || !IsHost(text) {
		return text
	}
	return "https://" + text
}

// IsHTTP reports whether a text begins with http:// or https://, in any letter case.
func IsHTTP(text string) bool {
	return ascii.HasPrefixFold(text, "http://") || ascii.HasPrefixFold(text, "https://")
}

// A file name such as "about.html" looks like a host, but no top-level domain is named html.
func isFile(name string) bool {
	return slices.Contains(fileEndings, strings.ToLower(name[strings.LastIndexByte(name, '.')+1:]))
}

var fileEndings = []string{"html", "htm", "php", "pdf", "txt", "xml", "asp", "aspx", "jsp", "css", "json", "csv", "png", "jpg", "gif"}

// notHosts are schemes that look like a host with a port, as in "tel:112".
var notHosts = []string{"tel", "sms", "callto", "fax", "modem", "data"}

// IsHost reports whether an address without a scheme begins with a host. "about.html" is no host.
func IsHost(address string) bool {
	host := authority.At(address)
	if isFile(host) || strings.Contains(host, "@") || strings.HasSuffix(host, ":") && strings.HasPrefix(address[len(host):], "//") {
		return false // the text is a mail address, or has an unknown scheme as in "example.com://"
	}
	name, port := authority.Split(host)
	if _, err := authority.Port(port, 0); err != nil || !isName(name) {
		return false
	}
	return port != "" && !slices.Contains(notHosts, strings.ToLower(name)) || isDotted(name) || strings.EqualFold(name, "localhost") || host[0] == '['
}

// isName accepts more names than package origin does, because tables of Unicode would make the page without a server too
// large.
func isName(host string) bool {
	if strings.HasPrefix(host, "[") {
		_, err := authority.IPv6(host)
		return err == nil
	}
	name := strings.ToLower(strings.TrimSuffix(host, "."))
	for label := range strings.SplitSeq(name, ".") {
		if label == "" || strings.Trim(label, "-") != label || strings.ContainsFunc(label, isNotInNames) {
			return false
		}
	}
	return authority.CheckNumber(name) == nil
}

func isNotInNames(r rune) bool {
	if r < 0x80 {
		return !ascii.IsLetter(byte(r)) && !ascii.IsDigit(byte(r)) && r != '-' && r != '_'
	}
	return r == utf8.RuneError || !strconv.IsPrint(r)
}

func isDotted(name string) bool {
	if _, err := netip.ParseAddr(name); err == nil {
		return true
	}
	dot := strings.LastIndexByte(name, '.')
	return dot >= 0 && strings.Trim(name[dot:], ".0123456789") != ""
}
