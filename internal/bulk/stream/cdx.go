package stream

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// isCDX reports whether a line is from a CDX file, which is the index of a web archive. Examples:
//
//	com,example)/cart 20240501000000 {"url": "https://example.com/cart", …}
//	com,example)/cart 20240501000000 https://example.com/cart text/html 200 …
//	 CDX N b a m s k r M S V g
//	!OpenWayback-CDXJ 1.0
func isCDX(line string) bool {
	if strings.HasPrefix(line, "CDX ") || strings.HasPrefix(line, "!OpenWayback") {
		return true
	}
	key, rest, _ := strings.Cut(line, " ")
	time, rest, _ := strings.Cut(rest, " ")
	return strings.Contains(key, ")") && len(time) >= 4 && strings.Trim(time, "0123456789") == "" && rest != ""
}

// In joined files, a header may be on any line.
func isCDXHeader(line string) bool {
	line = strings.TrimSpace(line)
	return strings.HasPrefix(line, "!") || strings.HasPrefix(line, "CDX ")
}

// Column "a" has the URL. If a header names no columns, ifUnnamed is returned.
func urlColumn(header string, ifUnnamed int) int {
	columns, ok := strings.CutPrefix(strings.TrimSpace(header), "CDX ")
	if !ok {
		return ifUnnamed
	}
	return slices.Index(strings.Fields(columns), "a")
}

var errOtherColumns = errors.New("in this line and the lines after it, the URL is in another column: put these lines into a separate input")

// The URL is the member "url" of a CDXJ line or a field of a CDX line. If the line has no URL, the
// URL is made from the key.
func (r *urlFinder) urlInCDX(line string) (string, error) {
	if i := strings.IndexByte(line, '{'); i > 0 && line[i-1] == ' ' && strings.Count(line[:i], " ") <= 2 {
		url, err := r.urlInJSON(line[i:])
		if !errors.Is(err, ErrNoMember) { // if the member "url" exists but is wrong, the key is not used either
			return url, err
		}
		key, _, _ := strings.Cut(line, " ")
		if fromKey, ok := fromSURT(key); ok {
			return fromKey, nil
		}
		return "", fmt.Errorf("the line of CDXJ has no URL; expected one in the member %q, or as com,example)/cart at the start of the line", r.field)
	}
	fields := strings.FieldsFunc(line, func(c rune) bool { return c == ' ' || c == '\t' }) // other white space may be a part of the URL
	if r.column >= len(fields) {
		return "", fmt.Errorf("the line is too short for CDX; expected the URL in field %d, or a line of CDXJ", r.column+1)
	}
	if url := fields[r.column]; strings.Contains(url, "://") {
		return url, nil
	}
	if url, ok := fromSURT(fields[0]); ok {
		return url, nil
	}
	return "", fmt.Errorf("the line of CDX has no URL; expected one in field %d, or as com,example)/cart at the start of the line", r.column+1)
}

// fromSURT makes a URL of a key with the host reversed. A key without a scheme is read as https:
//
//	com,example,www)/cart?id=1              https://www.example.com/cart?id=1
//	http://(com,example,:8080)/             http://example.com:8080/
//	com,example:8080)/                      https://example.com:8080/
//	http://(com,example,:8080@user:pass)/   http://user:pass@example.com:8080/
func fromSURT(key string) (url string, ok bool) {
	scheme, rest, found := strings.Cut(key, "://")
	if !found {
		scheme, rest = "https", key
	}
	rest = strings.TrimPrefix(rest, "(")
	inner, path, found := strings.Cut(rest, ")")
	if !found || inner == "" || strings.ContainsAny(inner, `/?#\`) {
		return "", false
	}
	if path != "" && !strings.ContainsRune(`/?#\`, rune(path[0])) { // such a path would be read as a part of the host
		return "", false
	}
	inner, user, _ := strings.Cut(inner, "@")
	host, port := inner, ""
	if !strings.HasSuffix(inner, "]") { // not an IPv6 address without a port
		if i := strings.LastIndexByte(inner, ':'); i >= 0 {
			host, port = inner[:i], inner[i:]
		}
	}
	labels := strings.Split(strings.TrimSuffix(host, ","), ",")
	slices.Reverse(labels)
	if user != "" {
		user += "@"
	}
	return scheme + "://" + user + strings.Join(labels, ".") + port + path, true
}
