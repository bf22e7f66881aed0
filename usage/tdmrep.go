package usage

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/heed-robots/heed/robotstxt"
)

const (
	tdmReservation = "tdm-reservation"
	tdmPolicy      = "tdm-policy"
)

// TDMRepPath is the path of the tdmrep.json of a site.
const TDMRepPath = "/.well-known/tdmrep.json"

// MaxTDMRep limits the bytes of a tdmrep.json, and MaxTDMRows limits its rows (AI-17).
const (
	MaxTDMRep  = 500 << 10
	MaxTDMRows = 10_000
)

// A Reservation says whether a site reserves the right to mine text and data (AI-13). The zero value is Unset.
type Reservation uint8

const (
	Unset       Reservation = iota // the site does not say whether it reserves the right
	NotReserved                    // the value of tdm-reservation is 0
	Reserved                       // the value of tdm-reservation is 1: nobody may mine without a licence
)

func reservation(value string) (Reservation, bool) {
	switch strings.Trim(value, " \t") {
	case "0":
		return NotReserved, true
	case "1":
		return Reserved, true
	}
	return Unset, false
}

// A TDMFile is the tdmrep.json of a site. It never changes, and is safe for concurrent use.
type TDMFile struct {
	rows   []tdmRow
	policy *robotstxt.Policy // finds the row whose location matches a target
	failed string            // why the file could not be read; "" if it was read
}

// FailedTDMRep returns the TDMFile of a site whose tdmrep.json cannot be read. The file may reserve rights, so only the response
// can allow training.
func FailedTDMRep(why string) *TDMFile {
	return &TDMFile{policy: robotstxt.FirstOf(nil), failed: shortened(why)}
}

type tdmRow struct {
	row         int
	text        string
	reservation Reservation
	policy      string
	location    string
}

// ReadTDMRep reads a tdmrep.json: a JSON array of objects, the rows. A row without a location has no effect. A member with
// a wrong type has no effect. If the text is not such an array, or exceeds MaxTDMRep or MaxTDMRows, ReadTDMRep returns an
// error.
func ReadTDMRep(text []byte) (*TDMFile, error) {
	if len(text) > MaxTDMRep {
		return nil, fmt.Errorf("tdmrep.json: the file has %d bytes; expected at most %d", len(text), MaxTDMRep)
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	var rows []json.RawMessage
	if err := json.Unmarshal(text, &rows); err != nil {
		return nil, fmt.Errorf("tdmrep.json: expected a JSON array of objects: %w", err)
	}
	if rows == nil {
		return nil, errors.New("tdmrep.json: expected a JSON array of objects, found null")
	}
	if len(rows) > MaxTDMRows {
		return nil, fmt.Errorf("tdmrep.json: the array has %d elements; expected at most %d", len(rows), MaxTDMRows)
	}
	f := &TDMFile{}
	var locations []string
	for i, row := range rows {
		var members map[string]json.RawMessage
		if json.Unmarshal(row, &members) != nil {
			continue
		}
		r := tdmRow{row: i + 1, text: shortened(string(row)), location: textIn(members["location"]), policy: textIn(members[tdmPolicy])}
		r.reservation, _ = reservation(string(members[tdmReservation]))
		f.rows = append(f.rows, r)
		locations = append(locations, r.location)
	}
	f.policy = robotstxt.FirstOf(locations)
	return f, nil
}

func textIn(value json.RawMessage) (text string) {
	if json.Unmarshal(value, &text) != nil {
		return ""
	}
	return text
}

func (f *TDMFile) row(target string) *tdmRow {
	if f == nil {
		return nil
	}
	if d := checkPath(f.policy, target); d.Reason == robotstxt.ByRule {
		return &f.rows[d.Rule.Line-1]
	}
	return nil
}

func (r *tdmRow) place() Statement { return Statement{Carrier: TDMRep, Row: r.row, Text: r.text} }

// A tdmField is tdm-reservation or tdm-policy, in a header or a meta element of a response.
type tdmField struct {
	Statement
	name          string
	reservation   Reservation
	policy        string
	silenceReason string // why the field says nothing; "" if it says something
}

func tdmFieldOf(place Statement, name, value string) tdmField {
	f := tdmField{Statement: place, name: name}
	ok := true
	if name == tdmPolicy {
		f.policy = strings.Trim(value, " \t")
		ok = f.policy != ""
	} else {
		f.reservation, ok = reservation(value)
	}
	if !ok {
		f.silenceReason = "its value is neither 0 nor 1, so it says nothing"
	}
	return f
}

func (r *Response) readTDM(name string, values []string) {
	left := MaxHeader
	for _, value := range values {
		value = value[:min(len(value), left)]
		left -= len(value)
		r.tdm = append(r.tdm, tdmFieldOf(Statement{Carrier: TDMRep, Header: name, Text: shortened(value)}, name, value))
	}
}

type tdmState struct {
	failed     string // why the rights are not known; "" if they are known
	reserved   Reservation
	reservedBy Statement
	policy     string
}

// reservationAt returns the reservation for a target. The page overrides headers, and headers override the file (AI-13).
func (f *TDMFile) reservationAt(target string, r *Response) (t tdmState) {
	if row := f.row(target); row != nil {
		t.reserved, t.policy, t.reservedBy = row.reservation, row.policy, row.place()
	}
	if f != nil {
		t.failed = f.failed
	}
	if r == nil {
		return t
	}
	for i := range r.tdm {
		t.override(r.tdm, i)
	}
	return t
}

// If a header or a meta element has several values of tdm-reservation, override lets the value 1 decide.
func (t *tdmState) override(fields []tdmField, i int) {
	f := &fields[i]
	switch {
	case f.silenceReason != "":
	case f.name == tdmPolicy:
		t.policy = f.policy
	case f.reservation == NotReserved && t.reserved == Reserved && samePlace(t.reservedBy, f.Statement):
	default:
		t.failed, t.reserved, t.reservedBy = "", f.reservation, f.Statement
	}
}

func samePlace(a, b Statement) bool {
	return a.Header == b.Header && a.Meta == b.Meta && a.Row == b.Row
}

// TDM returns what a tdmrep.json and a response say about a target. The result reserved says whether rights are
// reserved. The result policy is the address of the terms, or "". file and r may be nil.
func TDM(file *TDMFile, target string, r *Response) (reserved Reservation, policy string) {
	t := file.reservationAt(target, r)
	return t.reserved, t.policy
}
