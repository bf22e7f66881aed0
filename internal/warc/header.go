package warc

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// A Field is a named field of a record, such as WARC-Type.
type Field struct{ Name, Value string }

// A Header is the named fields of a record, in the order of the file.
type Header []Field

// Get returns the value of the first field with a name; "": there is none. The case of letters in
// the name does not matter.
func (h Header) Get(name string) string {
	for _, f := range h {
		if strings.EqualFold(f.Name, name) {
			return f.Value
		}
	}
	return ""
}

// TargetURI returns WARC-Target-URI, without the angle brackets that some programs write around it.
func (h Header) TargetURI() string {
	uri := h.Get("WARC-Target-URI")
	if inner, ok := strings.CutPrefix(uri, "<"); ok {
		uri = strings.TrimSuffix(inner, ">")
	}
	return uri
}

// length returns Content-Length, which each record must have.
func (h Header) length() (int64, error) {
	text := h.Get("Content-Length")
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("Content-Length is %.40q; expected a number of octets", text)
	}
	return n, nil
}

var errField = errors.New(`a line of the header has no ":"`)

// add adds a line of the header. A line that begins with white space goes on with the field before.
func (h *Header) add(line []byte) error {
	if last := len(*h) - 1; last >= 0 && (line[0] == ' ' || line[0] == '\t') {
		(*h)[last].Value += " " + string(bytes.TrimSpace(line))
		return nil
	}
	name, value, ok := bytes.Cut(line, []byte(":"))
	if !ok {
		return errField
	}
	*h = append(*h, Field{string(bytes.TrimSpace(name)), string(bytes.TrimSpace(value))})
	return nil
}
