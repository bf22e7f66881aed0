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

// A Value is the value of a table cell or a JSON member: nil (null), []byte (a text), int64, float64 or time.Time.
type Value any

// Set sets one value. The parameter column is the name of the value in errors. A null body is a missing body; an empty text is
// an empty robots.txt.
func (r *Record) Set(n Name, column string, v Value) (err error) {
	text, isText := v.([]byte)
	if isText && text == nil {
		text = []byte{} // nil means that the record has no body
	}
	switch n {
	case URL:
		r.URL = string(text)
	case Origin:
		r.Origin = string(text)
	case Location:
		r.Location = string(text)
	case Body:
		r.Body = text
	case Robots:
		r.Robots = text
	case RobotsB64:
		r.RobotsB64, err = fromBase64(text)
	case Status:
		r.Status, err = statusOf(v)
	case Fetched:
		r.Fetched, err = timeOf(column, v)
	}
	return err
}

func fromBase64(text []byte) ([]byte, error) {
	if text == nil {
		return nil, nil
	}
	decoded, err := base64.StdEncoding.AppendDecode([]byte{}, text)
	if err != nil || bytes.ContainsAny(text, "\r\n") {
		return nil, errors.New("robots_b64: expected base64 without line ends")
	}
	return decoded, nil
}

// A missing status is an error. The response may have been a failure.
func statusOf(v Value) (int, error) {
	number := numberOf(v)
	text, isText := number.([]byte)
	n, isInteger := number.(int64)
	switch {
	case v == nil:
		return 0, errors.New("the status is null, so nothing is known about the robots.txt; expected a status such as 200 or 404")
	case isText && len(bytes.TrimSpace(text)) == 0:
		return 0, errors.New("the status is empty, so nothing is known about the robots.txt; expected a status such as 200 or 404")
	case !isInteger:
		return 0, fmt.Errorf("the status is %s; expected the status of a response, such as 200 or 404", shown(v))
	case n <= 0:
		return 0, fmt.Errorf("the status is %d, so nothing is known about the robots.txt; expected a status such as 200 or 404", n)
	case n < 100 || n > 599:
		return 0, fmt.Errorf("the status is %d; expected the status of a response, such as 200 or 404", n)
	}
	return int(n), nil
}

func shown(v Value) string {
	if text, ok := v.([]byte); ok {
		return printable.Quote(string(text[:min(len(text), 100)]))
	}
	return fmt.Sprint(v)
}

const maxDigits = 40

// Some programs write 404.0 or "404" for the number 404.
func numberOf(v Value) Value {
	if text, ok := v.([]byte); ok && len(text) <= maxDigits {
		digits := strings.TrimSpace(string(text))
		if n, err := strconv.ParseInt(digits, 10, 64); err == nil {
			return n
		}
		if f, err := strconv.ParseFloat(digits, 64); err == nil && strings.Trim(digits, "-.0123456789") == "" {
			v = f
		}
	}
	if f, ok := v.(float64); ok && math.Trunc(f) == f && math.Abs(f) < 1<<63 {
		return int64(f)
	}
	return v
}

func timeOf(column string, v Value) (at time.Time, err error) {
	if text, isText := v.([]byte); v == nil || isText && len(text) == 0 {
		return at, nil
	}
	switch n := numberOf(v).(type) {
	case time.Time:
		at = n
	case int64:
		if isDay(n) {
			return at, fmt.Errorf("%s is %s; expected a day such as 2026-05-03, or a time such as 2026-05-03T14:00:00Z", printable.Quote(column), shown(v))
		}
		at = epoch(n)
	default:
		if f, ok := n.(float64); ok && !math.IsNaN(f) && math.Abs(f) < 1<<63 {
			at = epochOf(f)
		} else if at, err = parseTime(column, v); err != nil {
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

func parseTime(column string, v Value) (time.Time, error) {
	if text, ok := v.([]byte); ok && len(text) <= 100 {
		if at, err := capture.ParseStart(string(text)); err == nil {
			return at, nil
		}
	}
	return time.Time{}, fmt.Errorf("%s is %s; expected a time such as 2026-05-03T14:00:00Z", printable.Quote(column), shown(v))
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

// units guess the unit of a number. A number below 1e11 is in seconds since 1970. Below 1e14, it is in
// milliseconds, and below 1e17 in microseconds. All larger numbers are in nanoseconds.
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
