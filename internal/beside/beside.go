// Package beside reads what is said beside a robots.txt about the use of a page, as members of questions and of cases have it.
package beside

import (
	"encoding/json"
	"errors"

	"github.com/heed-robots/heed/usage"
)

// Members are those of a JSON object. Each may be absent.
type Members struct {
	Headers Headers         `json:"headers"` // of the response
	HTML    string          `json:"html"`    // the beginning of the page
	TDMRep  json.RawMessage `json:"tdmrep"`  // what is in the site's tdmrep.json
}

// Read reads them. What says nothing is nil.
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

// Headers has the lines of each header. In JSON each is a list of strings, or a string.
type Headers map[string]oneOrMore

func (h *Headers) UnmarshalJSON(text []byte) error {
	var lines map[string]oneOrMore
	if json.Unmarshal(text, &lines) != nil {
		return errors.New("expected an object with a string, or a list of strings, for each header")
	}
	*h = lines
	return nil
}

// oneOrMore is a list of strings, in JSON also a single one.
type oneOrMore []string

func (l *oneOrMore) UnmarshalJSON(text []byte) error {
	var one string
	if json.Unmarshal(text, &one) == nil {
		*l = oneOrMore{one}
		return nil
	}
	return json.Unmarshal(text, (*[]string)(l))
}
