package accesslog

import (
	"net/netip"
	"strings"

	"github.com/heed-robots/heed/internal/ascii"
)

// combined is for logs in which most lines have a User-Agent. A line without a User-Agent was cut, so it is an error.
var common, combined = commonFormat(false), commonFormat(true)

func commonFormat(needsAgent bool) *Format {
	return &Format{Name: "Common or Combined", read: func(line string, e *Entry) error {
		hasAgent, err := readCommon(line, e)
		if err == nil && !hasAgent && needsAgent {
			err = errAgent
		}
		return err
	}}
}

func readCommon(line string, e *Entry) (hasAgent bool, err error) {
	open := 0
	for {
		i := strings.IndexByte(line[open:], '[')
		if i < 0 || len(line) < open+i+2+commonTimeLength {
			return false, errTime
		}
		open += i + 1
		if line[open+commonTimeLength] != ']' {
			continue
		}
		at, ok := commonTime(line[open : open+commonTimeLength])
		if ok {
			e.Time = at
			break
		}
	}
	e.setClient(strings.TrimRight(line[:open-1], " "))
	rest := strings.TrimLeft(line[open+commonTimeLength+1:], " ")
	request, rest, ok := cutQuoted(rest)
	if !ok {
		return false, errRequest
	}
	e.setRequest(request)
	status, rest := cutWord(rest)
	e.Status = statusOf(status)
	if e.Status < 0 {
		return false, errStatus
	}
	_, rest = cutWord(rest) // the size of the answer
	_, rest, ok = cutQuoted(rest)
	if !ok {
		return false, nil // the Common Log Format ends here
	}
	agent, rest, ok := cutQuoted(rest)
	if !ok {
		return false, nil
	}
	e.Agent = emptyIfDash(unescape(agent))
	if last, _, ok := cutQuoted(rest); ok && isAddresses(last) {
		e.Forwarded = last
	}
	return true, nil
}

// setClient reads the text before the time, for example "www.example.com 192.0.2.1 - user".
func (e *Entry) setClient(s string) {
	first, rest := cutWord(s)
	second, _ := cutWord(rest)
	if strings.HasSuffix(first, ",") { // several addresses of X-Forwarded-For
		end := len(first)
		for strings.HasSuffix(s[:end], ",") {
			next, after := cutWord(strings.TrimLeft(s[end:], " "))
			if next == "" {
				break
			}
			end = len(strings.TrimRight(s[:len(s)-len(after)], " "))
		}
		e.Forwarded = s[:end]
		e.Address = e.Forwarded[strings.LastIndexByte(e.Forwarded, ' ')+1:]
		return
	}
	if isAddress(second) && !isAddress(first) {
		e.setHost(first)
		first = second
	}
	e.Address = first
}

func (e *Entry) setHost(host string) {
	if host == "-" {
		return
	}
	e.Host = host
	switch {
	case strings.HasSuffix(host, ":443"):
		e.Scheme = "https"
	case strings.HasSuffix(host, ":80"):
		e.Scheme = "http"
	}
}

func (e *Entry) setRequest(request string) {
	method, target, ok := strings.Cut(unescape(request), " ")
	if !ok || !isMethod(method) {
		return
	}
	if i := strings.LastIndexByte(target, ' '); i >= 0 && strings.HasPrefix(target[i+1:], "HTTP/") {
		target = target[:i]
	}
	e.Method, e.Target = method, target
}

// Servers also log requests that are not HTTP, such as the bytes of a TLS handshake.
func isMethod(s string) bool {
	for i := range len(s) {
		if c := s[i] | 0x20; (c < 'a' || c > 'z') && s[i] != '-' && s[i] != '_' {
			return false
		}
	}
	return s != "" && len(s) <= 32
}

func cutWord(s string) (first, rest string) {
	first, rest, _ = strings.Cut(s, " ")
	return first, strings.TrimLeft(rest, " ")
}

// Some servers do not escape quotation marks. So a text ends only at a quotation mark before a space or the end of
// the line.
func cutQuoted(s string) (text, rest string, ok bool) {
	if len(s) < 2 || s[0] != '"' {
		return "", s, false
	}
	for i := 1; ; i++ {
		n := strings.IndexByte(s[i:], '"')
		if n < 0 {
			return "", s, false
		}
		i += n
		if i+1 < len(s) && s[i+1] != ' ' || isEscaped(s, i) {
			continue
		}
		return s[1:i], strings.TrimLeft(s[i+1:], " "), true
	}
}

func isEscaped(s string, i int) bool {
	n := 0
	for n < i && s[i-1-n] == '\\' {
		n++
	}
	return n%2 == 1
}

func emptyIfDash(s string) string {
	if s == "-" {
		return ""
	}
	return s
}

func statusOf(s string) int {
	switch n := digits(s); {
	case s == "-":
		return 0
	case len(s) == 0 || len(s) > 3 || n < 0:
		return -1
	default:
		return n
	}
}

func isAddress(s string) bool {
	if s == "" || s[0] > 'f' || s[0] > '9' && s[0] < 'A' && s[0] != ':' || len(s) > 45 {
		return false
	}
	_, err := netip.ParseAddr(s)
	return err == nil
}

// isAddresses is true if at least one element of a list is an address. The other elements may be any text, because clients
// can send X-Forwarded-For.
func isAddresses(s string) bool {
	for element := range strings.SplitSeq(s, ",") {
		if isAddress(withoutPort(strings.TrimSpace(element))) {
			return true
		}
	}
	return false
}

// Apache and nginx write \" \\ \n \r \t \b \v and \xHH.
func unescape(s string) string {
	i := strings.IndexByte(s, '\\')
	if i < 0 {
		return s
	}
	text := append(make([]byte, 0, len(s)), s[:i]...)
	for ; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			text = append(text, s[i])
			continue
		}
		i++
		const letters, meanings = `"\nrtbv`, "\"\\\n\r\t\b\v"
		if at := strings.IndexByte(letters, s[i]); at >= 0 {
			text = append(text, meanings[at])
		} else if c, ok := ascii.Hex(s[i+1:]); ok && s[i] == 'x' {
			text = append(text, c)
			i += 2
		} else {
			text = append(text, '\\', s[i])
		}
	}
	return string(text)
}
