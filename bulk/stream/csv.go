package stream

import (
	"encoding/csv"
	"errors"
	"fmt"
	"strings"
)

// ofColumn returns the column of the URL in a record of CSV or TSV.
func (r *reading) ofColumn(record string) (string, error) {
	if r.format == CSV && strings.IndexByte(record, '"') >= 0 {
		fields, err := r.split(record)
		if err != nil {
			return "", err
		}
		if r.column >= len(fields) {
			return "", r.tooFew(len(fields))
		}
		return fields[r.column], r.notTooMany(len(fields))
	}
	rest := record
	for i := range r.column {
		next := strings.IndexByte(rest, r.comma)
		if next < 0 {
			return "", r.tooFew(i + 1)
		}
		rest = rest[next+1:]
	}
	end := strings.IndexByte(rest, r.comma)
	if end < 0 {
		return rest, nil
	}
	if r.format == TSV { // no URL has a tab
		return rest[:end], nil
	}
	return rest[:end], r.notTooMany(r.column + 1 + strings.Count(rest[end:], ","))
}

// notTooMany returns an error if a record of CSV has more columns than the header: perhaps the URL has a
// comma and no quotation marks, and only a part of it would be judged.
func (r *reading) notTooMany(columns int) error {
	if columns <= r.most {
		return nil
	}
	return fmt.Errorf("there are %d columns, but the header has %d: a comma in a column needs quotation marks around the column", columns, r.most)
}

func (r *reading) tooFew(columns int) error {
	return fmt.Errorf("the URL is in column %d, but there are %d", r.column+1, columns)
}

// split returns the fields of a record.
func (r *reading) split(record string) ([]string, error) {
	if r.format == TSV {
		return strings.Split(record, "\t"), nil
	}
	from := csv.NewReader(strings.NewReader(record))
	from.FieldsPerRecord = -1
	fields, err := from.Read()
	if err != nil {
		var wrong *csv.ParseError
		if errors.As(err, &wrong) {
			err = wrong.Err
		}
		return nil, fmt.Errorf("not CSV: %w", err)
	}
	return fields, nil
}

// recordLen returns the length of the first record of CSV, with its line end: a line end between
// quotation marks belongs to the record. closed is false if the text ends before the record.
func recordLen[T string | []byte](text T) (n int, closed bool) {
	isOpen := false
	for n < len(text) {
		quotes, end := quotesToLineEnd(text[n:])
		isOpen = isOpen != (quotes%2 == 1)
		n += end
		if !isOpen && text[n-1] == '\n' {
			return n, true
		}
	}
	return n, false
}

// quotesToLineEnd returns the number of quotation marks in the first line of a text, and the length of
// the line with its end.
func quotesToLineEnd[T string | []byte](text T) (quotes, n int) {
	for i := range len(text) {
		switch text[i] {
		case '"':
			quotes++
		case '\n':
			return quotes, i + 1
		}
	}
	return quotes, len(text)
}

// wholeRecords returns the length of the whole records with which a text begins.
func wholeRecords(text []byte) (n int) {
	for {
		next, closed := recordLen(text[n:])
		if !closed {
			return n
		}
		n += next
	}
}
