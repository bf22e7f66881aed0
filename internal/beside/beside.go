// Package beside reads what a site says outside its robots.txt: in headers, in the page, or in tdmrep.json.
package beside

import (
	"encoding/json"
	"errors"

	"github.com/heed-robots/heed/usage"
)

// Members are optional members of a JSON object. They have what a site says about a page outside its robots.txt.
type Members struct {
	Headers Headers         `json:"headers"` // the headers of the response
	HTML    string          `json:"html"`    // the first part of the HTML page
	TDMRep  json.RawMessage `json:"tdmrep"`  // the content of the site's tdmrep.json
}

// Both results are nil if the members say nothing about the use of the page.
func (m *Members) Read() (file *usage.TDMFile, response *usage.Response, err error) {
	if len(m.TDMRep) > 0 && string(m.TDMRep) != "null" {
		if file, err = usage.ReadTDMRep(m.TDMRep); err != nil {
			return nil, nil, err
		}
	}
	headers := map[string][]string{}
	for name, lines := range m.Headers {
		headers[name] = lines
	}
	return file, usage.ReadResponse(headers, []byte(m.HTML)), nil
}

// The key of Headers is the name of a header. In JSON, a value is a string or a list of strings.
type Headers map[string]oneOrMore

func (h *Headers) UnmarshalJSON(text []byte) error {
	var lines map[string]oneOrMore
	if json.Unmarshal(text, &lines) != nil {
		return errors.New("expected an object with the names of headers, and for each name a string or a list of strings")
	}
	*h = lines
	return nil
}

type oneOrMore []string

func (l *oneOrMore) UnmarshalJSON(text []byte) error {
	var one string
	if json.Unmarshal(text, &one) == nil {
		*l = oneOrMore{one}
		return nil
	}
	return json.Unmarshal(text, (*[]string)(l))
}
