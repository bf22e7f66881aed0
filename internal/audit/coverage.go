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
	// The time of the first request of an operator's crawlers. The map has at most logsRobots operators.
	operators map[string]int64
}

const (
	// A gap is a time without lines that is longer than a day. A time of more than leastGap is also a gap if it is longer
	// than timesGap times the mean time between lines.
	leastGap = 6 * int64(time.Hour)
	timesGap = 50
	maxGaps  = 5 // the maximum number of gaps that the report lists

	// If crawlers of logsRobots operators made requests, but none of them was for /robots.txt, the log probably leaves out
	// such requests.
	logsRobots = 3
)

// minute counts lines that have times in the same minute. The parameter at is the time of the first of these lines.
func (c *coverage) minute(at, lines int64) {
	if c.lines == 0 {
		c.first, c.complete = at, at
	} else if silence := at - c.last; silence > day || silence > leastGap && c.lines > 1 && silence > timesGap*((c.last-c.first)/(c.lines-1)) {
		c.complete = at
		if c.gapCount++; len(c.gaps) < maxGaps {
			c.gaps = append(c.gaps, Gap{utc(c.last), utc(at)})
		}
	}
	c.last = max(c.last, at)
	c.lines += lines
}

// forget must be called when the auditor has deleted what it knew about earlier requests. The log then counts as
// complete only from this time on.
func (c *coverage) forget(now int64) { c.complete = now }

func (c *coverage) isWhole(since int64) bool { return !c.isSample && c.complete <= since }

func (c *coverage) addOperator(operator string, at int64) {
	if c.operators == nil {
		c.operators = map[string]int64{}
	}
	if _, ok := c.operators[operator]; !ok && len(c.operators) < logsRobots {
		c.operators[operator] = at
	}
}

// hasRobots reports whether the log probably has requests for /robots.txt. It returns false if there was no such request,
// although crawlers of logsRobots operators, including the given one, made requests before the time at.
func (c *coverage) hasRobots(at int64, operator string) bool {
	others := 0
	for name, first := range c.operators {
		if name != operator && first < at {
			others++
		}
	}
	return c.robots != 0 || others+1 < logsRobots
}

// isComplete reports whether the log has all lines of the 24 hours before a time, including requests for /robots.txt.
func (c *coverage) isComplete(at int64, operator string) bool {
	return !c.isSample && at-c.complete >= day && c.hasRobots(at, operator)
}
