package saved

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/heed-robots/heed/internal/bulk/capture"
	"github.com/heed-robots/heed/internal/printable"
)

// A Value is the value of a table cell or a JSON member. The zero Value is null.
type Value struct {
	kind    kind
	text    []byte
	integer int64
	float   float64
	time    time.Time
}

type kind uint8

const (
	isNull kind = iota
	isText
	isInteger
	isFloat
	isTime
)

func TextValue(text []byte) Value { return Value{kind: isText, text: text} }

func IntegerValue(n int64) Value { return Value{kind: isInteger, integer: n} }

func FloatValue(f float64) Value { return Value{kind: isFloat, float: f} }

func TimeValue(at time.Time) Value { return Value{kind: isTime, time: at} }

// Set sets one value. column is its name in errors. A null body is a missing body; an empty text is an empty robots.txt.
func (r *Record) Set(n Name, column string, v Value) (err error) {
	switch n {
	case URL:
		r.URL = string(v.text)
	case Origin:
		r.Origin = string(v.text)
	case Location:
		r.Location = string(v.text)
	case Body:
		r.Body = v.bytes()
	case Robots:
		r.Robots = v.bytes()
	case RobotsB64:
		r.RobotsB64, err = v.base64()
	case Status:
		r.Status, err = v.status()
	case Fetched:
		r.Fetched, err = v.fetched(column)
	}
	return err
}

// An empty body is not nil, because nil means that the record has no body.
func (v *Value) bytes() []byte {
	if v.kind == isText && v.text == nil {
		return []byte{}
	}
	return v.text
}

func (v *Value) base64() ([]byte, error) {
	if v.kind != isText {
		return nil, nil
	}
	decoded, err := base64.StdEncoding.AppendDecode([]byte{}, v.text)
	if err != nil || bytes.ContainsAny(v.text, "\r\n") {
		return nil, errors.New("robots_b64: expected base64 without line ends")
	}
	return decoded, nil
}

// A missing status is an error: the response may have been a failure.
func (v *Value) status() (int, error) {
	n := v.number()
	switch {
	case v.kind == isNull:
		return 0, errors.New("the status is null, so nothing is known about the robots.txt; expected a status such as 200 or 404")
	case n.kind == isText && len(bytes.TrimSpace(n.text)) == 0:
		return 0, errors.New("the status is empty, so nothing is known about the robots.txt; expected a status such as 200 or 404")
	case n.kind != isInteger:
		return 0, fmt.Errorf("the status is %s; expected the status of a response, such as 200 or 404", v)
	case n.integer <= 0:
		return 0, fmt.Errorf("the status is %d, so nothing is known about the robots.txt; expected a status such as 200 or 404", n.integer)
	case n.integer < 100 || n.integer > 599:
		return 0, fmt.Errorf("the status is %d; expected the status of a response, such as 200 or 404", n.integer)
	}
	return int(n.integer), nil
}

func (v *Value) String() string {
	switch v.kind {
	case isText:
		return printable.Quote(string(v.text[:min(len(v.text), 100)]))
	case isInteger:
		return strconv.FormatInt(v.integer, 10)
	case isFloat:
		return strconv.FormatFloat(v.float, 'g', -1, 64)
	}
	return "null"
}

// Some programs write 404.0 or "404" for the number 404.
func (v *Value) number() Value {
	n := *v
	if v.kind == isText {
		n = numberOf(v.text)
	}
	if n.kind == isFloat && math.Trunc(n.float) == n.float && math.Abs(n.float) < 1<<63 {
		return IntegerValue(int64(n.float))
	}
	return n
}

const maxDigits = 40

func numberOf(text []byte) Value {
	if len(text) <= maxDigits {
		digits := strings.TrimSpace(string(text))
		if n, err := strconv.ParseInt(digits, 10, 64); err == nil {
			return IntegerValue(n)
		}
		if f, err := strconv.ParseFloat(digits, 64); err == nil && strings.Trim(digits, "-.0123456789") == "" {
			return FloatValue(f)
		}
	}
	return TextValue(text)
}

func (v *Value) fetched(column string) (at time.Time, err error) {
	n := v.number()
	switch {
	case v.kind == isNull || v.kind == isText && len(v.text) == 0:
		return at, nil
	case v.kind == isTime:
		at = v.time
	case n.kind == isInteger && isDay(n.integer):
		return at, fmt.Errorf("%s is %s; expected a day such as 2026-05-03, or a time such as 2026-05-03T14:00:00Z", printable.Quote(column), v)
	case n.kind == isInteger:
		at = epoch(n.integer)
	case n.kind == isFloat && !math.IsNaN(n.float) && math.Abs(n.float) < 1<<63:
		at = epochOf(n.float)
	default:
		if at, err = parseTime(column, v); err != nil {
			return at, err
		}
	}
	return at, CheckTime(at)
}

// The number 20260503 is a day: as seconds, it would be in August 1970.
func isDay(n int64) bool {
	_, err := time.Parse("20060102", strconv.FormatInt(n, 10))
	return err == nil
}

func parseTime(column string, v *Value) (time.Time, error) {
	if v.kind == isText && len(v.text) <= 100 {
		if at, err := capture.ParseStart(string(v.text)); err == nil {
			return at, nil
		}
	}
	return time.Time{}, fmt.Errorf("%s is %s; expected a time such as 2026-05-03T14:00:00Z", printable.Quote(column), v)
}

// The first robots.txt files are from 1994.
var firstTime = time.Date(1994, 1, 1, 0, 0, 0, 0, time.UTC)

// CheckTime refuses times at which nobody can have fetched a robots.txt.
func CheckTime(at time.Time) error {
	if at.Before(firstTime) || at.After(time.Now()) {
		return fmt.Errorf("expected a time between 1994 and now, found %s", at.UTC().Format(time.RFC3339))
	}
	return nil
}

// units guess the unit of a number: below 1e11 it is seconds since 1970, below 1e14 milliseconds, below 1e17
// microseconds, else nanoseconds.
var units = []struct{ below, parts int64 }{{1e11, 1}, {1e14, 1e3}, {1e17, 1e6}}

func partsOf[T int64 | float64](n T) int64 {
	for _, u := range units {
		if below := T(u.below); -below < n && n < below {
			return u.parts
		}
	}
	return 1e9
}

func epoch(n int64) time.Time {
	parts := partsOf(n)
	return time.Unix(n/parts, n%parts*(1e9/parts))
}

func epochOf(f float64) time.Time {
	seconds, rest := math.Modf(f / float64(partsOf(f)))
	return time.Unix(int64(seconds), int64(rest*1e9))
}
