// Package origin finds the origin of a URL: its scheme, host and port. A robots.txt applies to one origin (R-12, G-2).
//
//	o, err := origin.Parse("https://www.example.com/cart?id=7")
//	url := o.RobotsURL() // "https://www.example.com/robots.txt"
package origin

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/net/idna"

	"github.com/heed-robots/heed/internal/authority"
	"github.com/heed-robots/heed/internal/printable"
)

// An Origin is a scheme, host and port in normal form. Origins can be compared with == and used as map keys. The zero
// Origin means none.
type Origin struct {
	host   string // in lower case and punycode, an IPv6 address in brackets
	port   uint16
	scheme scheme
}

// scheme is an index in schemes. A map key with a number is faster than one with a name.
type scheme uint8

// schemes are the schemes over which a robots.txt is fetched (G-1), with their default ports (G-2).
var schemes = [...]struct {
	name, start string // such as "https" and "https://"
	port        uint16
}{{}, {"https", "https://", 443}, {"http", "http://", 80}, {"ftp", "ftp://", 21}}

func cutScheme(url string) (s scheme, rest string, err error) {
	for s := 1; s < len(schemes); s++ {
		start := schemes[s].start
		if n := len(start); n <= len(url) && (url[:n] == start || strings.EqualFold(url[:n], start)) {
			return scheme(s), url[n:], nil
		}
	}
	if !strings.Contains(url, "://") {
		return 0, "", errors.New("expected an absolute URL, such as https://example.com/")
	}
	return 0, "", errors.New("expected a URL with the scheme http, https or ftp")
}

// Parse returns the origin of an absolute URL of http, https or ftp. It fails for a wrong host or port. A host that ends in
// a number must be an IPv4 address. User information, and a dot after the host, are ignored.
func Parse(url string) (Origin, error) {
	countParse(url)
	o, err := parse(url)
	if err != nil {
		return Origin{}, fmt.Errorf("%s: %w", printable.Quote(url), err)
	}
	return o, nil
}

func parse(url string) (Origin, error) {
	var o Origin
	var rest string
	var err error
	if o.scheme, rest, err = cutScheme(url); err != nil {
		return Origin{}, err
	}
	if n := plainLen(rest); n > 0 && (n == len(rest) || authority.IsEnd(rest[n])) { // true for nearly all URLs
		o.host, o.port = rest[:n], schemes[o.scheme].port
		return o, authority.CheckNumber(o.host)
	}
	rest = authority.At(rest)
	host, port := authority.Split(rest[strings.LastIndexByte(rest, '@')+1:])
	if o.port, err = authority.Port(port, schemes[o.scheme].port); err != nil {
		return Origin{}, err
	}
	if o.host, err = parseHost(host); err == nil {
		err = authority.CheckNumber(o.host)
	}
	return o, err
}

// Authority returns the authority of a URL, such as "user@example.com:8080". The URL is given without its scheme and
// "://".
func Authority(rest string) string { return authority.At(rest) }

// hostNames converts host names to ASCII as browsers do, but also accepts "_", which real host names contain.
var hostNames = idna.New(idna.MapForLookup(), idna.Transitional(false), idna.BidiRule(), idna.StrictDomainName(false))

// maxHost is the limit of the DNS for a host name with a dot at its end.
const maxHost = 254

func parseHost(host string) (string, error) {
	if plainLen(host) == len(host) && host != "" {
		return host, nil
	}
	if host != "" && host[0] == '[' {
		addr, err := authority.IPv6(host)
		if err != nil {
			return "", err
		}
		return "[" + addr.String() + "]", nil
	}
	if len(host) > 4*maxHost { // ToASCII would take long for such a name
		return "", fmt.Errorf("expected a host name of at most %d characters, found a longer one", maxHost-1)
	}
	name, err := hostNames.ToASCII(host)
	name, endsInDot := strings.CutSuffix(name, ".")
	if endsInDot { // the dot may be the one before an empty label "xn--", which ToASCII drops
		if longer, wrong := hostNames.ToASCII(host + "x"); wrong != nil || longer != name+".x" {
			name = ""
		}
	}
	if err != nil || !isHostName(name) {
		return "", fmt.Errorf("expected a host name, found %s", printable.Quote(host))
	}
	// From a host with invalid bytes, ToASCII can make a name that it does not accept itself.
	if again, err := hostNames.ToASCII(name); err != nil || again != name {
		return "", fmt.Errorf("expected a host name, found %s", printable.Quote(host))
	}
	return name, nil
}

// plainLen returns the length of the host name at the start of s. If the name is not in normal form, plainLen returns
// 0.
func plainLen(s string) int {
	label, i := 0, 0
	for ; i < len(s); i++ {
		if isLowerOrDigit[s[i]] {
			continue
		}
		if s[i] != '.' && s[i] != '-' {
			break
		}
		if !isPlainLabel(s[label:i]) {
			return 0
		}
		if s[i] == '.' {
			label = i + 1
		}
	}
	if !isPlainLabel(s[label:i]) || i >= maxHost {
		return 0
	}
	return i
}

func isPlainLabel(s string) bool {
	return s != "" && s[len(s)-1] != '-' && len(s) <= maxLabel
}

var isLowerOrDigit = func() (set [256]bool) {
	for c := range set {
		set[c] = 'a' <= c && c <= 'z' || '0' <= c && c <= '9'
	}
	return set
}()

const maxLabel = 63

func isHostName(name string) bool {
	if len(name) >= maxHost {
		return false
	}
	for label := range strings.SplitSeq(name, ".") {
		if label == "" || len(label) > maxLabel {
			return false
		}
		for i := range len(label) {
			if c := label[i]; !isLowerOrDigit[c] && c != '-' && c != '_' {
				return false
			}
		}
	}
	return true
}

// Clone returns an equal origin that does not keep the parsed URL in memory.
func (o Origin) Clone() Origin {
	o.host = strings.Clone(o.host)
	return o
}

// IsZero reports whether o is the zero Origin.
func (o Origin) IsZero() bool { return o == Origin{} }

// Scheme returns "http", "https" or "ftp", or "" for the zero Origin.
func (o Origin) Scheme() string { return schemes[o.scheme].name }

// Host returns the host in lower case and punycode. An IPv6 address is in brackets.
func (o Origin) Host() string { return o.host }

// Port returns the port, even if it is the default port of the scheme. For the zero Origin it returns 0.
func (o Origin) Port() uint16 { return o.port }

// String returns the origin as the start of a URL, without a default port, such as "https://example.com". For the zero
// Origin it returns "".
func (o Origin) String() string {
	var room [128]byte
	return string(o.append(room[:0]))
}

// Authority returns host and port as in a URL, such as "www.example.com:8080". The default port is left out.
func (o Origin) Authority() string {
	if o.port == schemes[o.scheme].port { // the usual case, which needs no copy
		return o.host
	}
	return o.host + ":" + strconv.Itoa(int(o.port))
}

// RobotsURL returns the URL of the origin's robots.txt (S94-1, R-12).
func (o Origin) RobotsURL() string {
	var room [128]byte
	return string(append(o.append(room[:0]), "/robots.txt"...))
}

func (o Origin) append(dst []byte) []byte {
	if o.IsZero() {
		return dst
	}
	dst = append(append(append(dst, o.Scheme()...), "://"...), o.host...)
	if o.port != schemes[o.scheme].port {
		dst = strconv.AppendUint(append(dst, ':'), uint64(o.port), 10)
	}
	return dst
}

// Begins reports whether a URL begins with the text of String. If so, the URL belongs to the origin. If not, the URL
// may still belong to the origin, for example HTTPS://Example.com: only Parse can decide. Begins is faster than Parse.
func (o Origin) Begins(url string) bool {
	rest, ok := strings.CutPrefix(url, schemes[o.scheme].start)
	if !ok || !strings.HasPrefix(rest, o.host) || o.IsZero() {
		return false
	}
	port := Authority(rest[len(o.host):])
	if port == "" {
		return o.port == schemes[o.scheme].port
	}
	var room [6]byte
	return port == string(strconv.AppendUint(append(room[:0], ':'), uint64(o.port), 10))
}

// MarshalText returns what String returns.
func (o Origin) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// UnmarshalText accepts the result of MarshalText, and all that Parse accepts.
func (o *Origin) UnmarshalText(text []byte) (err error) {
	if len(text) == 0 {
		*o = Origin{}
		return nil
	}
	*o, err = Parse(string(text))
	return err
}
