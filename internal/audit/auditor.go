package audit

import (
	"time"

	"github.com/heed-robots/heed/internal/printable"
)

// A Reason is why a forbidden request is not proved. The zero Reason means that it is proved.
type Reason uint8

// The reasons, those that excuse the crawler first. Of several the first one is told.
const (
	Proved         Reason = iota
	CopyAllows            // what it last fetched allows the request
	DialectsDiffer        // Google's dialect allows it
	OtherMethod           // the method is not GET or HEAD, which proves no crawling (AU-8)
	NotBound              // its operator does not promise to obey, or not the groups for "*" (AU-6)
	NotVerified           // whether it is the operator's is not checked, or it is not
	OutOfOrder            // the line is far behind later ones, so what the crawler knew then is not known
	CopyUnknown           // what it last fetched is not known: a redirect, or a copy from before the log
	LogIncomplete         // the log does not show what it fetched in the 24 hours before

	reasonCount
)

var reasonNames = [...]string{"proved", "copy-allows", "dialects-differ", "method", "not-bound", "not-verified", "out-of-order", "copy-unknown", "log-incomplete"}

// String returns the reason as JSON has it, such as "copy-allows".
func (r Reason) String() string { return printable.Name(reasonNames[:], r, "proved") }

// MarshalText returns what String returns.
func (r Reason) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// excuses reports whether the crawler did nothing wrong: a crawler with no other forbidden requests obeys.
func (r Reason) excuses() bool { return r == CopyAllows || r == DialectsDiffer || r == OtherMethod }

const (
	day = int64(24 * time.Hour)
	// copyFor is how long a crawler may use its copy.
	copyFor = day
	// unreachableFor is how long it may use its last good copy if the file is unreachable.
	unreachableFor = 30 * day
)

// A retrieval is what a crawler last fetched, as the log shows it (AU-2).
type retrieval struct {
	at      int64 // minTime: none is known
	status  int16
	reading int32 // the index of the version that it has, allowsAll or unknownCopy

	good    int32 // the reading after the last retrieval that brought rules, or told that there are none
	goodAt  int64 // when that was; minTime: the log shows none
	failing int64 // since when the file is unreachable; minTime: it is not
	isLost  bool  // its last good copy is not known
}

const (
	allowsAll   = -2
	unknownCopy = none
)

var noRetrieval = retrieval{at: minTime, goodAt: minTime, failing: minTime}

// next returns what a crawler has after another retrieval. inForce is the version in force then, atBegin the one when the log begins,
// and kept the one that the crawler has if the log shows no good copy, or unknownCopy.
func (c *retrieval) next(at int64, status int16, inForce, atBegin, kept int32) retrieval {
	n := *c
	n.at, n.status = at, status
	hasGood := c.goodAt != minTime && at-c.goodAt <= unreachableFor
	switch {
	case status == 200:
		n.bring(inForce)
	case status == 304 && hasGood: // it renews the copy that it had
		n.bring(c.good)
	case status == 304 && inForce == atBegin:
		n.bring(inForce)
	case status == 304:
		n.bring(unknownCopy)
	case status >= 400 && status < 499: // 429: the kindest reading
		n.bring(allowsAll)
	case !n.isUnreachable(): // a redirect, a part, or no answer
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

// isOld reports whether a crawler may not use the copy any more. It may use an older one while the file is unreachable.
func (c *retrieval) isOld(at int64) bool {
	if c.isUnreachable() {
		return at-c.at > unreachableFor
	}
	return at-c.at > copyFor
}

// bring sets what a retrieval brought, which is a good copy if it is known.
func (c *retrieval) bring(reading int32) {
	c.reading = reading
	if reading != unknownCopy {
		c.good, c.goodAt, c.failing, c.isLost = reading, c.at, minTime, false
	}
}

// allows reports whether the copy allows what a crawler was found to request, and whether it is unknown.
func (c *retrieval) allows(s *site, w *who, f *found) (allows, isUnknown bool) {
	switch c.reading {
	case allowsAll:
		return true, false
	case unknownCopy:
		return false, true
	}
	p := s.versions[c.reading].of(w)
	allows = p.rfc.Check(f.target).Allowed || p.google.Check(f.target).Allowed ||
		p.own != nil && !f.notBound && p.own.Check(f.target).Allowed // a group for "*", which it does not follow: the one that names it is newer
	return allows, false
}

// A visitor is a crawler of one identity at one site, or all crawlers of an operator there.
type visitor struct {
	copy   retrieval
	before retrieval // the one before copy
	last   int64     // of its requests for pages; minTime: none
}

// copies returns what the visitor may have at a time: its copy, and in the second in which it was fetched the one before too, since
// a log does not show which of two requests in a second was first.
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

// A visitorKey identifies a visitor. For an operator, who is nil.
type visitorKey struct {
	who      *who
	operator string
	identity Identity
	site     *site
	host     string // one of several hosts of the site; "": all
}

// maxVisitors limits the visitors that are kept.
const maxVisitors = 200_000

// A check decides what depends on earlier requests. It gets the events in the order of time.
type auditor struct {
	*run
	coverage coverage
	visitors map[visitorKey]*visitor
	rows     map[rowKey]*Row
}

// visitor returns the visitor of a key.
func (j *auditor) visitor(key visitorKey, now int64) *visitor {
	if v := j.visitors[key]; v != nil {
		return v
	}
	if len(j.visitors) >= maxVisitors {
		for k, v := range j.visitors { // what says nothing any more
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

// event processes the next event. isLate means that it is far behind later ones.
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
	if e.identity == Verified { // an address may be the operator's before the first list, too
		if v := j.visitors[visitorKey{who: e.who, identity: NotCheckable, site: e.site}]; v != nil {
			visitors = append(visitors, v)
		}
	}
	reason, known := j.reason(e, visitors, isLate)
	row.forbidden(j.finding(e, reason, known), j.wants(e.who))
}

// fetched returns what a crawler that had a copy has after it fetched robots.txt.
func (j *auditor) fetched(e *event, c retrieval, isLate bool) retrieval {
	if isLate { // what came after it was checked without it
		return retrieval{at: max(c.at, e.at), reading: unknownCopy, goodAt: minTime, failing: minTime, isLost: true}
	}
	begin := j.coverage.first
	atBegin := int32(e.site.at(begin))
	kept := atBegin
	if kept != none && e.site.versions[kept].Since.After(time.Unix(0, begin-unreachableFor)) || !j.shows(e, begin) {
		kept = unknownCopy // it may have an earlier version, or one of which the log does not show the retrieval
	}
	if c.goodAt != minTime && !j.shows(e, c.goodAt) {
		c.goodAt, c.isLost = minTime, true
	}
	if c.isLost {
		atBegin, kept = unknownCopy, unknownCopy
	}
	return c.next(e.at, e.status, e.count, atBegin, kept)
}

// shows reports whether the log shows which versions a crawler has fetched between a time and an event: if it lacks lines, the
// crawler may have fetched any that was in force.
func (j *auditor) shows(e *event, since int64) bool {
	return j.coverage.isWhole(since) || e.site.at(since) == int(e.count)
}

// reason returns why a forbidden request is not proved, and the retrieval that shows what the crawler knew. The copies of all visitors
// must disallow the request.
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
