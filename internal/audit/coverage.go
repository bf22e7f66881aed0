package audit

import "time"

// A coverage says for which times the log has lines, as far as it has been read (AU-10).
type coverage struct {
	isSample    bool
	first, last int64 // before the first line, first is maxTime and last is minTime
	complete    int64 // since this time, the log has no gap
	lines       int64
	gaps        []Gap
	gapCount    int
	inGaps      int64 // how long all gaps are together

	// The time of the first request for /robots.txt. It shows that the server logs such requests.
	// It is 0 if there was no such request.
	robots int64
	// For the first minOperators operators, the time of their crawlers' first request.
	operators map[string]int64
}

const (
	// A time without lines is a gap if it is longer than a day. A shorter time is a gap if it is longer than minGap, and
	// also longer than gapFactor times the mean time between two lines. This mean leaves out the earlier gaps.
	minGap    = 6 * int64(time.Hour)
	gapFactor = 50
	maxGaps   = 5 // gaps in the report

	// If the crawlers of at least minOperators operators sent no request for /robots.txt, the log probably leaves out such
	// requests.
	minOperators = 3
)

// addMinute counts lines of the same minute. start is the time of the first of these lines.
func (c *coverage) addMinute(start, lines int64) {
	if c.lines == 0 {
		c.first, c.complete = start, start
	} else if silence := start - c.last; silence > day || silence > minGap && c.lines > 1 && silence > gapFactor*((c.last-c.first-c.inGaps)/(c.lines-1)) {
		c.complete = start
		c.inGaps += silence
		if c.gapCount++; len(c.gaps) < maxGaps {
			c.gaps = append(c.gaps, Gap{utc(c.last), utc(start)})
		}
	}
	c.last = max(c.last, start)
	c.lines += lines
}

func (c *coverage) isWhole(since int64) bool { return !c.isSample && c.complete <= since }

func (c *coverage) addOperator(operator string, at int64) {
	if c.operators == nil {
		c.operators = map[string]int64{}
	}
	if _, ok := c.operators[operator]; !ok && len(c.operators) < minOperators {
		c.operators[operator] = at
	}
}

func (c *coverage) hasRobots(now int64, operator string) bool {
	others := 0
	for name, first := range c.operators {
		if name != operator && first < now {
			others++
		}
	}
	return c.robots != 0 || others+1 < minOperators
}

func (c *coverage) isComplete(at int64, operator string) bool {
	return !c.isSample && at-c.complete >= day && c.hasRobots(at, operator)
}
