package stream

import (
	"fmt"
	"strings"

	"github.com/heed-robots/heed/internal/csvrecords"
	"github.com/heed-robots/heed/internal/printable"
)

func (r *urlFinder) urlInColumn(record string) (string, error) {
	if r.format == CSV && strings.IndexByte(record, '"') >= 0 {
		fields := csvrecords.Fields(record, r.comma)
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
	if r.format == TSV { // a URL cannot contain a tab
		return rest[:end], nil
	}
	return rest[:end], r.notTooMany(r.column + 1 + strings.Count(rest[end:], ","))
}

// A record with more columns than the header may have a URL with a comma, of which only a part would be checked.
func (r *urlFinder) notTooMany(columns int) error {
	if columns <= len(r.names) {
		return nil
	}
	return fmt.Errorf("the line has %d columns, but the header has %d: if a value contains a comma, put quotation marks around the value", columns, len(r.names))
}

func (r *urlFinder) tooFew(columns int) error {
	return fmt.Errorf("the URL is expected in column %d, but the line has only %s", r.column+1, printable.Counted(columns, "column"))
}

func (r *urlFinder) split(record string) ([]string, error) {
	if r.format == TSV {
		return strings.Split(record, "\t"), nil
	}
	if _, err := csvrecords.New(r.comma, maxLine).Next(record, true); err != nil {
		return nil, err
	}
	return csvrecords.Fields(record, r.comma), nil
}
