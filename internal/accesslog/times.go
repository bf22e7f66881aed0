package accesslog

import (
	"strconv"
	"strings"
	"time"
)

func monthOf(s string) int {
	i := strings.Index("JanFebMarAprMayJunJulAugSepOctNovDec", s)
	if len(s) != 3 || i < 0 || i%3 != 0 {
		return 0
	}
	return i/3 + 1
}

func digits(s string) int {
	n := 0
	for i := range len(s) {
		c := s[i] - '0'
		if c > 9 {
			return -1
		}
		n = n*10 + int(c)
	}
	return n
}

// secondsOf counts seconds from 1970-01-01. It is several times as fast as time.Date.
func secondsOf(year, month, day, hour, minute, second int) (seconds int64, ok bool) {
	if year < 1970 || year > 2200 || month < 1 || month > 12 || day < 1 || day > 31 || hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 60 {
		return 0, false
	}
	if month <= 2 {
		year--
	}
	era := year / 400
	ofEra := year - era*400
	ofYear := (153*((month+9)%12)+2)/5 + day - 1
	days := int64(era)*146097 + int64(ofEra*365+ofEra/4-ofEra/100+ofYear) - 719468
	return days*86400 + int64(hour*3600+minute*60+second), true
}

const commonTimeLength = 26

func commonTime(s string) (nanoseconds int64, ok bool) {
	if len(s) != commonTimeLength || s[2] != '/' || s[6] != '/' || s[11] != ':' || s[14] != ':' || s[17] != ':' || s[20] != ' ' {
		return 0, false
	}
	seconds, ok := secondsOf(digits(s[7:11]), monthOf(s[3:6]), digits(s[:2]), digits(s[12:14]), digits(s[15:17]), digits(s[18:20]))
	zone := digits(s[22:])
	if !ok || zone < 0 {
		return 0, false
	}
	east := int64(zone/100*3600 + zone%100*60)
	switch s[21] {
	case '+':
	case '-':
		east = -east
	default:
		return 0, false
	}
	return (seconds - east) * 1e9, true
}

// maxSeconds is the start of the year 2201 in seconds since 1970. No line of a log has a later time.
const maxSeconds = 7289654400

// anyTime reads RFC 3339, the time of Common logs, or a number since 1970. The size of the number shows if it
// is in seconds, milliseconds, microseconds or nanoseconds.
func anyTime(s string) (nanoseconds int64, ok bool) {
	if n, ok := commonTime(strings.Trim(s, "[]")); ok {
		return n, true
	}
	if t, err := time.Parse(time.RFC3339Nano, s); err == nil {
		return nanosecondsOf(t)
	}
	for _, layout := range []string{"2006-01-02 15:04:05.999999999Z07:00", "2006-01-02 15:04:05.999999999", "2006-01-02T15:04:05.999999999-0700", "2006-01-02T15:04:05.999999999"} {
		if t, err := time.Parse(layout, s); err == nil {
			return nanosecondsOf(t) // without a zone, the time is UTC
		}
	}
	whole, fraction, _ := strings.Cut(s, ".")
	if len(whole) < 9 || len(whole) > 19 {
		if f, err := strconv.ParseFloat(s, 64); err == nil && f >= 1e8 && f < 1e19 { // for example 1.7e9
			unit := unitOf(f)
			return int64(f * unit), f*unit <= maxSeconds*1e9
		}
		return 0, false
	}
	n, err := strconv.ParseInt(whole, 10, 64)
	if err != nil || n < 0 {
		return 0, false
	}
	unit := unitOf(n)
	if n > maxSeconds*(1e9/unit) {
		return 0, false
	}
	n *= unit
	if digits(fraction) >= 0 && fraction != "" {
		f, _ := strconv.ParseFloat("0."+fraction, 64)
		n += int64(f * float64(unit))
	}
	return n, true
}

// unitOf returns the nanoseconds in the unit that a number since 1970 probably has.
func unitOf[T int64 | float64](n T) T {
	unit := T(1e9)
	for limit := T(1e11); n >= limit && unit > 1; limit *= 1000 {
		unit /= 1000
	}
	return unit
}

func nanosecondsOf(t time.Time) (nanoseconds int64, ok bool) {
	return t.UnixNano(), t.Year() >= 1970 && t.Year() <= 2200
}
