package audit

import "time"

// coverage says what the log has shown so far (AU-10).
type coverage struct {
	isSample    bool
	first, last int64 // the times of the first and the last line; before the first line, maxTime and minTime
	complete    int64 // after this time, the log has no gap
	lines       int64
	gaps        []Gap
	gapCount    int

	// The time of the first request for /robots.txt, which shows that the server logs such requests; 0 if there was none.
	robots int64
	// The first operators whose crawlers made requests, at most logsRobots of them. The value is the time of the operator's
	// first request.
	operators map[string]int64
}

const (
	// A gap is a time without any line, if this time is longer than a day. A shorter time is also a gap if it is longer than
	// leastGap, and longer than timesGap times the mean time between the lines so far.
	leastGap = 6 * int64(time.Hour)
	timesGap = 50
	maxGaps  = 5 // the maximum number of gaps that the report lists

	// If crawlers of logsRobots operators have made requests, and none of the requests was for /robots.txt, the log probably
	// leaves out requests for /robots.txt. Some servers are configured to do so.
	logsRobots = 3
)

// The method minute counts some lines of the same minute; at is the time of the first line.
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

// forget is called when the auditor has deleted what it knew about earlier requests. From then on, the log counts as complete
// only for the time after now.
func (c *coverage) forget(now int64) { c.complete = now }

// isWhole reports whether the log has all lines since the given time.
func (c *coverage) isWhole(since int64) bool { return !c.isSample && c.complete <= since }

// The method came records that a crawler of an operator made a request.
func (c *coverage) came(operator string, at int64) {
	if c.operators == nil {
		c.operators = map[string]int64{}
	}
	if _, ok := c.operators[operator]; !ok && len(c.operators) < logsRobots {
		c.operators[operator] = at
	}
}

// hasRobots reports whether the log probably shows requests for /robots.txt. It returns false if the log has shown no such
// request, although crawlers of logsRobots operators, including the given one, have made requests until the time at.
func (c *coverage) hasRobots(at int64, operator string) bool {
	others := 0
	for name, first := range c.operators {
		if name != operator && first < at {
			others++
		}
	}
	return c.robots != 0 || others+1 < logsRobots
}

// isComplete reports whether the log has all lines of the 24 hours before a time, including requests for /robots.txt. If it
// has, and shows no such request of an operator's crawlers, it is certain that they did not fetch robots.txt in these 24
// hours.
func (c *coverage) isComplete(at int64, operator string) bool {
	return !c.isSample && at-c.complete >= day && c.hasRobots(at, operator)
}
