package csvrecords

import "strings"

// Fields returns the fields of a record. The record must not include its line end.
func Fields(record string, comma byte) (fields []string) {
	for more := true; more; {
		var field string
		field, _, record, more = Cut(record, comma)
		fields = append(fields, field)
	}
	return fields
}

// Cut returns the first field of a record. If another field follows, rest is the text after the comma.
func Cut(record string, comma byte) (field string, isQuoted bool, rest string, hasMore bool) {
	if !strings.HasPrefix(record, `"`) {
		i := strings.IndexByte(record, comma)
		if i < 0 {
			return record, false, "", false
		}
		return record[:i], false, record[i+1:], true
	}
	record = record[1:]
	for end := 0; end < len(record); end++ {
		switch {
		case record[end] != '"':
		case strings.HasPrefix(record[end+1:], `"`):
			end++
		default:
			field, rest = record[:end], record[end+1:]
			if rest != "" {
				rest = rest[1:] // skips the separator of the fields
			}
			return strings.ReplaceAll(field, `""`, `"`), true, rest, end+1 < len(record)
		}
	}
	return record, true, "", false
}
