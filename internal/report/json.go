package report

import (
	"encoding/json"
	"strings"
)

// AppendJSON appends a value as JSON, on one line, as Answer.AppendJSON does: "<", ">" and "&" are
// not escaped, and characters that are not printable are. It panics if the value is none that JSON
// can hold; each value of this package is one.
func AppendJSON(dst []byte, v any) []byte {
	if fast, ok := v.(interface{ AppendJSON([]byte) []byte }); ok {
		return fast.AppendJSON(dst) // the same bytes, without reflection
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err)
	}
	return AppendSafe(dst, strings.TrimSuffix(b.String(), "\n"))
}
