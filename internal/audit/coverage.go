package audit

import "time"

// coverage says what the log has shown so far (AU-10).
type coverage struct {
	isSample    bool
	first, last int64 // the times of the first and the last line; before the first line, maxTime and minTime
	complete    int64 // the log has no gap from this time on
	lines       int64
	gaps        []Gap
	gapCount    int

	// The time of the first request for /robots.txt, which shows that the server logs such requests; 0 if there was none.
	robots int64
	// The operators whose crawlers came first, at most logsRobots. The value is the time of the operator's first request.
	operators map[string]int64
}

const (
	// A gap is a time without any line. It is longer than a day; or it is longer than leastGap, and also longer than
	// timesGap times the mean time between the lines so far.
	leastGap = 6 * int64(time.Hour)
	timesGap = 50
	maxGaps  = 5 // the maximum number of gaps that the report lists

	// logsRobots is a number of operators. If crawlers of so many operators have made requests, but no request was
	// for /robots.txt, the log probably leaves out requests for /robots.txt. Some servers are configured to do so.
	logsRobots = 3
)

// minute counts some lines that are in the same minute; at is the time of the first of them.
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

// forget is called when the auditor has deleted what it knew about earlier requests. After this, only the part of the log since
// now counts as complete.
func (c *coverage) forget(now int64) { c.complete = now }

// isWhole reports whether the log has all lines since a time.
func (c *coverage) isWhole(since int64) bool { return !c.isSample && c.complete <= since }

// came records that a crawler of an operator made a request at a time.
func (c *coverage) came(operator string, at int64) {
	if c.operators == nil {
		c.operators = map[string]int64{}
	}
	if _, ok := c.operators[operator]; !ok && len(c.operators) < logsRobots {
		c.operators[operator] = at
	}
}

// hasRobots reports whether the log probably shows the requests for /robots.txt, at the time of a request by a crawler of the
// operator.
func (c *coverage) hasRobots(at int64, operator string) bool {
	others := 0
	for name, first := range c.operators {
		if name != operator && first < at {
			others++
		}
	}
	return c.robots != 0 || others+1 < logsRobots
}

// isComplete reports whether the log shows all of the 24 hours before a time. Only then is it certain that no crawler of
// an operator fetched robots.txt in this time.
func (c *coverage) isComplete(at int64, operator string) bool {
	return !c.isSample && at-c.complete >= day && c.hasRobots(at, operator)
}
