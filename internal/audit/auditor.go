package audit

import (
	"time"

	"github.com/heed-robots/heed/internal/printable"
)

// A Reason is why a forbidden request is not proved. The zero Reason means that it is proved.
type Reason uint8

// The reasons. Reasons that excuse the crawler come first. If several reasons are true, a Finding has the first of these reasons.
const (
	Proved         Reason = iota
	CopyAllows            // the robots.txt that the crawler last fetched allows the request
	DialectsDiffer        // Google's dialect allows the request
	OtherMethod           // the method is not GET or HEAD, so the request proves no crawling (AU-8)
	NotBound              // the operator does not promise that the crawler obeys, or that the crawler follows the groups for "*" (AU-6)
	NotVerified           // the identity is not Verified
	OutOfOrder            // the line comes so long after later lines that the audit does not know which rules the crawler knew
	CopyUnknown           // the audit does not know the last copy of the crawler: a redirect, or a copy from before the start of the log
	LogIncomplete         // the log may not show all requests of the crawler in the 24 hours before this request

	reasonCount
)

var reasonNames = [...]string{"proved", "copy-allows", "dialects-differ", "method", "not-bound", "not-verified", "out-of-order", "copy-unknown", "log-incomplete"}

// String returns the word for the reason in JSON, such as "copy-allows".
func (r Reason) String() string { return printable.Name(reasonNames[:], r, "proved") }

// MarshalText returns what String returns.
func (r Reason) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// excuses reports whether r means that a forbidden request was not the fault of the crawler. A crawler obeys if all its
// forbidden requests have such a reason.
func (r Reason) excuses() bool { return r == CopyAllows || r == DialectsDiffer || r == OtherMethod }

const (
	day = int64(24 * time.Hour)
	// copyFor is how long a crawler may use its copy of robots.txt.
	copyFor = day
	// unreachableFor is how long a crawler may use its last good copy if the file is unreachable.
	unreachableFor = 30 * day
)

// A retrieval is the last request of a crawler for robots.txt that the log shows (AU-2). It also says which copy of the
// robots.txt the crawler has after this request.
type retrieval struct {
	at      int64 // minTime if the audit knows no retrieval
	status  int16
	reading int32 // the copy after this retrieval: the index of a version, allowsAll or unknownCopy

	// The copy after the last good retrieval. A retrieval is good if it brought rules, or a status such as 404, which says that
	// there are no rules.
	good    int32
	goodAt  int64 // the time of the last good retrieval; minTime if the log shows none
	failing int64 // the time since which the robots.txt has been unreachable; minTime if it is not unreachable
	isLost  bool  // true if the last good copy is not known
}

const (
	allowsAll   = -2
	unknownCopy = none
)

var noRetrieval = retrieval{at: minTime, goodAt: minTime, failing: minTime}

// next returns the state after another retrieval. inForce is the version that applied at the time of this
// retrieval, and atStart the version that applied at the start of the log. kept is the copy that the crawler has if
// the log shows no good retrieval; it may be unknownCopy.
func (c *retrieval) next(at int64, status int16, inForce, atStart, kept int32) retrieval {
	n := *c
	n.at, n.status = at, status
	hasGood := c.goodAt != minTime && at-c.goodAt <= unreachableFor
	switch {
	case status == 200:
		n.bring(inForce)
	case status == 304 && hasGood: // the last good copy is still valid
		n.bring(c.good)
	case status == 304 && inForce == atStart:
		n.bring(inForce)
	case status == 304:
		n.bring(unknownCopy)
	case status >= 400 && status < 499: // also 429: this is the most favorable reading for the crawler
		n.bring(allowsAll)
	case !n.isUnreachable(): // a redirect, a part of the file, or no answer
		n.reading = unknownCopy
	default:
		if n.reading = kept; hasGood {
			n.reading = c.good
		}
		if c.failing == minTime {
			n.failing = at
		} else if at-c.failing > unreachableFor {
			n.reading = allowsAll
		}
	}
	return n
}

func (c *retrieval) isUnreachable() bool { return c.status >= 500 && c.status < 600 }

// isOld reports whether a crawler may no longer use the copy. While the file is unreachable, the crawler may use a copy for
// longer.
func (c *retrieval) isOld(at int64) bool {
	if c.isUnreachable() {
		return at-c.at > unreachableFor
	}
	return at-c.at > copyFor
}

// bring sets the copy to the robots.txt that a retrieval brought. If this robots.txt is known, it is also the last good copy.
func (c *retrieval) bring(reading int32) {
	c.reading = reading
	if reading != unknownCopy {
		c.good, c.goodAt, c.failing, c.isLost = reading, c.at, minTime, false
	}
}

// allows reports whether the crawler's copy of robots.txt allows a request that the version in force disallows. isUnknown is
// true if it is not known which copy the crawler has.
func (c *retrieval) allows(s *site, w *who, f *found) (allows, isUnknown bool) {
	switch c.reading {
	case allowsAll:
		return true, false
	case unknownCopy:
		return false, true
	}
	p := s.versions[c.reading].of(w)
	allows = p.rfc.Check(f.target).Allowed || p.google.Check(f.target).Allowed ||
		// Only the groups for "*" disallow the URL in this copy, and the crawler does not follow these groups. The rule that names
		// the crawler is in a newer version.
		p.own != nil && !f.notBound && p.own.Check(f.target).Allowed
	return allows, false
}

// A visitor is what the audit keeps about a crawler with one identity at one site, or about all crawlers of one operator with
// this identity at the site.
type visitor struct {
	copy   retrieval
	before retrieval // the last retrieval before copy
	last   int64     // the time of the last request for a page; minTime if there was none
}

// copies returns the copies that the visitor may have at a time. Usually this is one copy. If a request and a
// retrieval have the same second, there are two: the copy of the retrieval, and the copy before it. The log does not
// show which of the two requests was first.
func (v *visitor) copies(at int64) (all []*retrieval) {
	for _, c := range []*retrieval{&v.copy, &v.before} {
		if c.at != minTime && !c.isOld(at) {
			all = append(all, c)
		}
		if at/int64(time.Second) != c.at/int64(time.Second) {
			break
		}
	}
	return all
}

// A visitorKey identifies a visitor. The field who is nil if the visitor stands for all crawlers of an operator.
type visitorKey struct {
	who      *who
	operator string
	identity Identity
	site     *site
	host     string // one of the hosts of a site that has several; "" means all hosts together
}

// maxVisitors is the maximum number of visitors in memory.
const maxVisitors = 200_000

// An auditor decides what depends on earlier requests. It gets the events in the order of time.
type auditor struct {
	*run
	coverage coverage
	visitors map[visitorKey]*visitor
	rows     map[rowKey]*Row
}

// visitor returns the visitor with a key, which may be new.
func (j *auditor) visitor(key visitorKey, now int64) *visitor {
	if v := j.visitors[key]; v != nil {
		return v
	}
	if len(j.visitors) >= maxVisitors {
		for k, v := range j.visitors { // delete the visitors whose copies are so old that they do not matter
			if max(v.copy.at, v.last) < now-unreachableFor {
				delete(j.visitors, k)
			}
		}
		if len(j.visitors) >= maxVisitors {
			clear(j.visitors)
			j.coverage.forget(now)
		}
	}
	v := &visitor{copy: noRetrieval, before: noRetrieval, last: minTime}
	j.visitors[key] = v
	return v
}

// event processes the next event. isLate is true if the event came too late: much later events were already processed.
func (j *auditor) event(e *event, isLate bool) {
	if e.kind == ofMinute {
		if !isLate {
			j.coverage.minute(e.at, int64(e.count))
			if e.isRobots && j.coverage.robots == 0 {
				j.coverage.robots = e.at
			}
		}
		return
	}
	if !isLate {
		j.coverage.came(e.who.operator, e.at)
	}
	row := j.row(e.who, e.identity)
	counts := e.at >= j.since && e.at < j.until
	if counts {
		row.request(e)
	}
	if e.site == nil {
		return
	}
	all := j.visitor(visitorKey{operator: e.who.operator, identity: e.identity, site: e.site}, e.at)
	own := j.visitor(visitorKey{who: e.who, identity: e.identity, site: e.site}, e.at)
	visitors := append(make([]*visitor, 0, 5), all, own)
	if e.host != "" {
		visitors = append(visitors, j.visitor(visitorKey{operator: e.who.operator, identity: e.identity, site: e.site, host: e.host}, e.at),
			j.visitor(visitorKey{who: e.who, identity: e.identity, site: e.site, host: e.host}, e.at))
	}
	if e.kind == ofRobots {
		for _, v := range visitors {
			v.before, v.copy = v.copy, j.fetched(e, v.copy, isLate)
		}
		return
	}
	if counts && !isLate {
		row.age(e.at, all.copy)
		if e.kind == ofPage {
			row.gap(e, own.last)
		}
	}
	if e.kind == ofPage && !isLate {
		own.last = e.at
	}
	if e.found == nil || !counts {
		return
	}
	// The crawler may have fetched its copy at a time for which there is no list of addresses. Its identity then was NotCheckable.
	if e.identity == Verified {
		if v := j.visitors[visitorKey{who: e.who, identity: NotCheckable, site: e.site}]; v != nil {
			visitors = append(visitors, v)
		}
	}
	reason, known := j.reason(e, visitors, isLate)
	row.forbidden(j.finding(e, reason, known), j.wants(e.who))
}

// fetched returns the state of a crawler after it fetched robots.txt; c is the state before.
func (j *auditor) fetched(e *event, c retrieval, isLate bool) retrieval {
	if isLate { // the audit has already processed later requests, without this retrieval
		return retrieval{at: max(c.at, e.at), reading: unknownCopy, goodAt: minTime, failing: minTime, isLost: true}
	}
	start := j.coverage.first
	atStart := int32(e.site.at(start))
	kept := atStart
	if kept != none && e.site.versions[kept].Since.After(time.Unix(0, start-unreachableFor)) || !j.shows(e, start) {
		kept = unknownCopy // the crawler may have an earlier version, or a version from a retrieval that the log does not show
	}
	if c.goodAt != minTime && !j.shows(e, c.goodAt) {
		c.goodAt, c.isLost = minTime, true
	}
	if c.isLost {
		atStart, kept = unknownCopy, unknownCopy
	}
	return c.next(e.at, e.status, e.count, atStart, kept)
}

// shows reports whether it is known which versions crawlers can have fetched between a time and an event. This is
// known if the log has all lines since then, or if only one version was in force.
func (j *auditor) shows(e *event, since int64) bool {
	return j.coverage.isWhole(since) || e.site.at(since) == int(e.count)
}

// reason returns Proved, or the reason why a forbidden request is not proved. It also returns the retrieval that shows which
// copy of robots.txt the crawler had. A request is proved only if the copies of all given visitors disallow it.
func (j *auditor) reason(e *event, visitors []*visitor, isLate bool) (Reason, *retrieval) {
	isUnknown, hasCopy, isShown := false, false, true
	known := &visitors[0].copy
	if own := &visitors[1].copy; own.at != minTime && !own.isOld(e.at) {
		known = own
	}
	for _, v := range visitors {
		for _, c := range v.copies(e.at) {
			hasCopy = true
			allows, unknown := c.allows(e.site, e.who, e.found)
			if allows && !isLate {
				return CopyAllows, c
			}
			isUnknown = isUnknown || unknown
			switch {
			case !c.isUnreachable():
				isShown = isShown && j.shows(e, c.at)
			case c.goodAt != minTime:
				isShown = isShown && j.shows(e, c.goodAt)
			default:
				isShown = isShown && j.shows(e, j.coverage.first)
			}
		}
	}
	f := e.found
	switch {
	case f.googleAllows:
		return DialectsDiffer, known
	case f.isPost:
		return OtherMethod, known
	case f.notBound:
		return NotBound, known
	case e.identity != Verified:
		return NotVerified, known
	case isLate:
		return OutOfOrder, known
	case isUnknown:
		return CopyUnknown, known
	case !isShown || !hasCopy && !j.coverage.isComplete(e.at, e.who.operator):
		return LogIncomplete, known
	}
	return Proved, known
}
