package source

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/heed-robots/heed/usage"
)

const maxHead = 1 << 20

var (
	errStatusLine = errors.New(`the record has no HTTP response; expected a response, which begins with a line such as "HTTP/1.1 200 OK"`)
	errHeadCut    = errors.New("the HTTP response in the WARC record ends before the end of its headers, so heed does not use it")
	errChunks     = errors.New("the last chunk of the HTTP response is missing, so heed does not use the response")
	errHeadLong   = fmt.Errorf("the HTTP response in the WARC record has headers of more than %d bytes, so heed does not use it", maxHead)
)

// Many archives keep the body after decompression, or without chunk sizes. The headers then still
// say that the body is compressed, or has chunk sizes.
func (a *answer) readResponse(block []byte) error {
	if a.isRevisit && len(block) == 0 { // then the whole response is that of the original
		return nil
	}
	for {
		line, rest, _ := cutLine(block)
		status, ok := statusOf(line)
		if !ok {
			return errStatusLine
		}
		a.status, a.header = status, http.Header{}
		body, err := a.readHeaders(rest)
		if err != nil {
			return err
		}
		isInterim := status < 200 && status != http.StatusSwitchingProtocols
		if block = body; !isInterim || !bytes.HasPrefix(body, []byte("HTTP/")) {
			break
		}
	}
	a.body = block
	a.joinChunks()
	return nil
}

func cutLine(text []byte) (line, rest []byte, isWhole bool) {
	line, rest, isWhole = bytes.Cut(text, []byte("\n"))
	return bytes.TrimSuffix(line, []byte("\r")), rest, isWhole
}

func statusOf(line []byte) (status int, ok bool) {
	version, rest, _ := bytes.Cut(line, []byte(" "))
	if !bytes.HasPrefix(version, []byte("HTTP/")) {
		return 0, false
	}
	rest = bytes.TrimLeft(rest, " ")
	if len(rest) < 3 || len(rest) > 3 && rest[3] != ' ' {
		return 0, false
	}
	for _, c := range rest[:3] {
		if c < '0' || c > '9' {
			return 0, false
		}
		status = 10*status + int(c-'0')
	}
	return status, status >= 100
}

// usedHeaders has the headers that are used, by the length of their name.
var usedHeaders = func() (byLength [18][]string) {
	for _, name := range slices.Concat(usage.Headers(), []string{"Location", "Content-Type", "Content-Range", "Content-Length", "Content-Encoding", "Transfer-Encoding"}) {
		byLength[len(name)] = append(byLength[len(name)], name)
	}
	return byLength
}()

func (a *answer) readHeaders(text []byte) (body []byte, err error) {
	last := ""
	for rest := text; len(text)-len(rest) <= maxHead; {
		if len(rest) == 0 && a.needsNoBody(text) {
			return nil, nil
		}
		line, behind, isWhole := cutLine(rest)
		switch {
		case !isWhole && !a.needsNoBody(text):
			return nil, errHeadCut
		case len(line) == 0:
			return behind, nil
		case (line[0] == ' ' || line[0] == '\t') && last != "":
			values := a.header[last]
			values[len(values)-1] += " " + string(bytes.TrimSpace(line))
		default:
			last = a.addHeader(line)
		}
		rest = behind
	}
	return nil, errHeadLong
}

// A response that ends after its headers, without a body, can still be used if only its status matters.
func (a *answer) needsNoBody(head []byte) bool {
	switch {
	case a.status >= 300 && a.status <= 399: // if the last line is cut, it may be the Location header
		return bytes.HasSuffix(head, []byte("\n"))
	case a.status >= 400:
		return true
	case a.isRevisit:
		return bytes.HasSuffix(head, []byte("\n"))
	}
	return false
}

func (a *answer) addHeader(line []byte) (name string) {
	key, value, ok := bytes.Cut(line, []byte(":"))
	key = bytes.TrimSpace(key)
	if !ok || len(key) >= len(usedHeaders) {
		return ""
	}
	for _, name := range usedHeaders[len(key)] {
		if strings.EqualFold(string(key), name) {
			a.header[name] = append(a.header[name], string(bytes.TrimSpace(value)))
			return name
		}
	}
	return ""
}

func (a *answer) joinChunks() {
	if len(a.header["Transfer-Encoding"]) == 0 || !strings.EqualFold(lastOf(a.header["Transfer-Encoding"]), "chunked") {
		return
	}
	if body, isWhole, ok := unchunked(a.body); ok {
		if a.body = body; !isWhole && !a.isCut {
			a.broken = errChunks
		}
	}
}

// lastOf returns "chunked" for the header "gzip, chunked".
func lastOf(values []string) string {
	all := values[len(values)-1]
	return strings.TrimSpace(all[strings.LastIndexByte(all, ',')+1:])
}

func unchunked(body []byte) (content []byte, isWhole, ok bool) {
	for rest := body; ; ok = true {
		size, behind, isSize := cutChunkSize(rest)
		switch {
		case !isSize:
			return content, false, ok
		case size == 0:
			return content, true, true
		case size > len(behind): // the chunk is not complete
			return append(content, behind...), false, true
		}
		content = append(content, behind[:size]...)
		rest = behind[size:]
		if line, next, _ := cutLine(rest); len(line) == 0 {
			rest = next
		} else {
			return content, false, ok
		}
	}
}

func cutChunkSize(text []byte) (size int, rest []byte, ok bool) {
	const maxLine = 4 << 10
	begin := text[:min(len(text), maxLine)]
	line, behind, isWhole := cutLine(begin)
	digits, _, _ := bytes.Cut(line, []byte(";"))
	n, err := strconv.ParseUint(string(bytes.TrimSpace(digits)), 16, 31)
	switch {
	case err != nil:
		return 0, nil, false
	case !isWhole: // the end of the size is missing, so the chunk is longer than the rest, which is empty
		return math.MaxInt, nil, true
	}
	return int(n), text[len(begin)-len(behind):], true
}
