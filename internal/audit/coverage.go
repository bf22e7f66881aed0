package audit

import "time"

// A coverage says for which times the log has lines, as far as it has been read (AU-10).
type coverage struct {
	isSample    bool
	first, last int64 // the times of the first and the last line; before the first line, maxTime and minTime
	complete    int64 // after this time, the log has no gap
	lines       int64
	gaps        []Gap
	gapCount    int

	// The time of the first request for /robots.txt; 0 if there was none. It shows that the server logs such requests.
	robots int64
	// The key is an operator, and the value is the time of the first request of the operator's crawlers. The map has at
	// most minOperators keys.
	operators map[string]int64
}

const (
	// A time without lines is a gap if it is longer than a day. It is also a gap if it is longer than minGap, and longer
	// than gapFactor times the mean time between two lines.
	minGap    = 6 * int64(time.Hour)
	gapFactor = 50
	maxGaps   = 5 // the maximum number of gaps that the report lists

	// If this number of operators made no request for /robots.txt, the log probably leaves out such requests.
	minOperators = 3
)

// addMinute counts lines that have times in the same minute. start is the time of the first of these lines.
func (c *coverage) addMinute(start, lines int64) {
	if c.lines == 0 {
		c.first, c.complete = start, start
	} else if silence := start - c.last; silence > day || silence > minGap && c.lines > 1 && silence > gapFactor*((c.last-c.first)/(c.lines-1)) {
		c.complete = start
		if c.gapCount++; len(c.gaps) < maxGaps {
			c.gaps = append(c.gaps, Gap{utc(c.last), utc(start)})
		}
	}
	c.last = max(c.last, start)
	c.lines += lines
}

// forget must be called when the auditor has deleted what it knew about earlier requests.
func (c *coverage) forget(now int64) { c.complete = now }

func (c *coverage) isWhole(since int64) bool { return !c.isSample && c.complete <= since }

func (c *coverage) addOperator(operator string, at int64) {
	if c.operators == nil {
		c.operators = map[string]int64{}
	}
	if _, ok := c.operators[operator]; !ok && len(c.operators) < minOperators {
		c.operators[operator] = at
	}
}

// hasRobots reports whether the log probably has requests for /robots.txt (see minOperators).
func (c *coverage) hasRobots(now int64, operator string) bool {
	others := 0
	for name, first := range c.operators {
		if name != operator && first < now {
			others++
		}
	}
	return c.robots != 0 || others+1 < minOperators
}

// isComplete reports whether the log has all lines of the 24 hours before a time, including requests for /robots.txt.
func (c *coverage) isComplete(at int64, operator string) bool {
	return !c.isSample && at-c.complete >= day && c.hasRobots(at, operator)
}
