package report

import (
	"errors"
	"fmt"
	"strings"

	"github.com/heed-robots/heed/robotstxt"
	"github.com/heed-robots/heed/robotstxt/record"
)

// A Line is one line of a robots.txt, whatever it holds.
type Line struct {
	Number int            `json:"line"`   // counted from 1
	Offset int            `json:"offset"` // of its first byte
	Kind   robotstxt.Kind `json:"kind"`
	Key    string         `json:"key,omitempty"`
	Value  string         `json:"value,omitempty"`
	Raw    string         `json:"raw"`
	RawB64 []byte         `json:"raw_b64,omitempty"`
	Notes  []string       `json:"notes"`            // names of what is worth knowing about it
	Record any            `json:"record,omitempty"` // what a record says that is not of the protocol
	Error  string         `json:"error,omitempty"`  // why the record cannot be read
}

// LineOf returns a line.
func LineOf(line robotstxt.Line) Line {
	raw := TextOf(line.Raw)
	j := Line{
		Number: line.Number,
		Offset: line.Offset,
		Kind:   line.Kind,
		Key:    TextOf(line.Key).Text,
		Value:  TextOf(line.Value).Text,
		Raw:    raw.Text,
		RawB64: raw.B64,
		Notes:  line.Notes.Names(),
	}
	value, err := recordOf(line)
	if err != nil {
		j.Error = err.Error()
	}
	j.Record = recordFields(value)
	return j
}

// Remark says what is worth knowing about a line; "": nothing.
func Remark(line robotstxt.Line) string {
	var remarks []string
	if line.Notes != 0 {
		remarks = append(remarks, line.Notes.String())
	}
	value, err := recordOf(line)
	if err != nil {
		remarks = append(remarks, err.Error())
	}
	for _, member := range unreadMembers(value) {
		remarks = append(remarks, fmt.Sprintf("%q cannot be read", member))
	}
	return strings.Join(remarks, "; ")
}

// recordOf returns the typed value of a record that is not of the protocol,
// nil for other lines and for a record that nobody knows.
func recordOf(line robotstxt.Line) (record.Value, error) {
	switch line.Kind {
	case robotstxt.KindSitemap:
		return record.Parse("sitemap", line.Value)
	case robotstxt.KindOther:
		r, err := record.Parse(line.Key, line.Value)
		if errors.Is(err, record.ErrUnknown) {
			return nil, nil
		}
		return r, err
	}
	return nil, nil
}
