package audit

import "time"

// coverage is what the log shows so far (AU-10).
type coverage struct {
	isSample    bool
	first, last int64 // of the lines; maxTime and minTime: none yet
	complete    int64 // since when the log is without a gap
	lines       int64
	gaps        []Gap
	gapCount    int

	robots    int64            // when somebody first requested /robots.txt, which shows that the server logs these requests; 0: nobody
	operators map[string]int64 // of the crawlers that came first, and when; at most logsRobots
}

const (
	// A gap is a time without any line that is longer than a day, or than leastGap and that many times the mean time between lines so far.
	leastGap = 6 * int64(time.Hour)
	timesGap = 50
	maxGaps  = 5 // that are told

	// logsRobots is how many operators' crawlers must come, and nobody request /robots.txt, until it is doubted that the log has these
	// requests at all: some servers are told to leave them out.
	logsRobots = 3
)

// minute adds lines of a minute, of which the first is at a time.
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

// forget makes the log incomplete before a time, since what it had shown was forgotten.
func (c *coverage) forget(now int64) { c.complete = now }

// isWhole reports whether the log has all lines since a time.
func (c *coverage) isWhole(since int64) bool { return !c.isSample && c.complete <= since }

// came notes that a crawler of an operator came.
func (c *coverage) came(operator string, at int64) {
	if c.operators == nil {
		c.operators = map[string]int64{}
	}
	if _, ok := c.operators[operator]; !ok && len(c.operators) < logsRobots {
		c.operators[operator] = at
	}
}

// hasRobots reports whether the log can be expected to have requests for /robots.txt, at a request of an operator's crawler.
func (c *coverage) hasRobots(at int64, operator string) bool {
	others := 0
	for name, first := range c.operators {
		if name != operator && first < at {
			others++
		}
	}
	return c.robots != 0 || others+1 < logsRobots
}

// isComplete reports whether the log shows all of the 24 hours before a time, so that it can be said that a crawler of an operator
// fetched no robots.txt.
func (c *coverage) isComplete(at int64, operator string) bool {
	return !c.isSample && at-c.complete >= day && c.hasRobots(at, operator)
}
