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
	CopyAllows            // what it last retrieved allows the request
	DialectsDiffer        // Google's dialect allows it
	OtherMethod           // the method is not GET or HEAD, which proves no crawling (AU-8)
	NotBound              // its operator does not promise to obey, or not the groups for "*" (AU-6)
	NotVerified           // whether it is the operator's is not checked, or it is not
	OutOfOrder            // the line is far behind later ones, so what the crawler knew then is not known
	CopyUnknown           // what it last retrieved is not known: a redirect, or a copy from before the log
	LogIncomplete         // the log does not show what it retrieved in the 24 hours before

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

// A retrieval is what a crawler last retrieved, as the log shows it (AU-2).
type retrieval struct {
	at     int64 // minTime: none is known
	status int16
	// The versions that it may have; each must disallow a request for a proof. Beside indexes there are allowsAll and
	// unknownCopy.
	readings [2]int32
	count    int
}

const (
	allowsAll   = -2
	unknownCopy = none
)

func (c *retrieval) set(readings ...int32) { c.count = copy(c.readings[:], readings) }

// isGood reports whether the retrieval brought rules, or told that there are none.
func (c *retrieval) isGood() bool { return c.at != minTime && c.readings[0] != unknownCopy }

// next returns what a crawler has after another retrieval. inForce is the version in force then, atBegin the one when the log begins,
// which a crawler may have retrieved before.
func (c *retrieval) next(at int64, status int16, inForce, atBegin int32) retrieval {
	n := *c
	n.at, n.status = at, status
	hasGood := c.isGood() && at-c.at <= unreachableFor
	switch {
	case status >= 200 && status < 300:
		n.set(inForce)
	case status == 304 && hasGood: // it renews the copy that it had
	case status == 304 && inForce == atBegin:
		n.set(inForce)
	case status == 304:
		n.set(unknownCopy)
	case status == 429: // the kindest reading
		n.set(allowsAll)
	case status >= 400 && status < 500 && status != 499:
		n.set(allowsAll)
	case status >= 500 && status < 600 && !hasGood:
		n.set(atBegin) // its last good copy may be from before the log
	case status >= 500 && status < 600: // its last good copy
	default: // a redirect, or no answer
		n.set(unknownCopy)
	}
	return n
}

// allows reports whether one of the versions that the crawler may have allows a request, and whether one is unknown.
func (c *retrieval) allows(s *site, w *who, target string) (allows, isUnknown bool) {
	for _, r := range c.readings[:c.count] {
		switch r {
		case allowsAll:
			allows = true
		case unknownCopy:
			isUnknown = true
		default:
			p := s.versions[r].of(w)
			allows = allows || p.rfc.Check(target).Allowed || p.google.Check(target).Allowed
		}
	}
	return allows, isUnknown
}

// A visitor is a crawler of one identity at one site, or all crawlers of an operator there.
type visitor struct {
	copy   retrieval
	before retrieval // the one before copy
	last   int64     // of its requests for pages; minTime: none
}

// retrieved notes another retrieval.
func (v *visitor) retrieved(e *event, atBegin int32) {
	v.before, v.copy = v.copy, v.copy.next(e.at, e.status, e.count, atBegin)
}

// copies returns what the visitor may have at a time: its copy, and in the second in which it was retrieved the one before too, since
// a log does not show which of two requests in a second was first.
func (v *visitor) copies(at int64) (all []*retrieval) {
	for _, c := range []*retrieval{&v.copy, &v.before} {
		if c.at != minTime && at-c.at <= copyFor {
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
}

// maxVisitors limits the visitors that are kept.
const maxVisitors = 400_000

// A judge decides what depends on earlier requests. It gets the events in the order of time.
type judge struct {
	*run
	coverage coverage
	visitors map[visitorKey]*visitor
	rows     map[rowKey]*Row
}

// visitor returns the visitor of a key.
func (j *judge) visitor(key visitorKey, now int64) *visitor {
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
	v := &visitor{copy: retrieval{at: minTime}, before: retrieval{at: minTime}, last: minTime}
	j.visitors[key] = v
	return v
}

// event processes the next event. isLate means that it is far behind later ones.
func (j *judge) event(e *event, isLate bool) {
	if e.kind == ofMinute {
		if !isLate {
			j.coverage.minute(e.at, int64(e.count))
		}
		return
	}
	row := j.row(e.who, e.identity)
	counts := e.at >= j.since
	if counts {
		row.request(e)
	}
	j.coverage.operator(e.who)
	if e.site == nil {
		return
	}
	own := j.visitor(visitorKey{who: e.who, identity: e.identity, site: e.site}, e.at)
	all := j.visitor(visitorKey{operator: e.who.operator, identity: e.identity, site: e.site}, e.at)
	if e.kind == ofRobots {
		j.retrieved(e, own, all, isLate)
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
	reason, known := j.reason(e, own, all, isLate)
	row.forbidden(j.finding(e, reason, known), j.wants(e.who))
}

// retrieved processes a retrieval of robots.txt.
func (j *judge) retrieved(e *event, own, all *visitor, isLate bool) {
	j.coverage.hasRobots = true
	if isLate { // what came after it was judged without it
		own.copy = retrieval{at: max(own.copy.at, e.at)}
		own.copy.set(unknownCopy)
		all.copy = own.copy
		return
	}
	atBegin := int32(e.site.at(j.coverage.first))
	own.retrieved(e, atBegin)
	all.retrieved(e, atBegin)
}

// reason returns why a forbidden request is not proved, and the retrieval that shows what the crawler knew.
func (j *judge) reason(e *event, own, all *visitor, isLate bool) (Reason, *retrieval) {
	isUnknown, hasCopy, known := false, false, &all.copy
	if own.copy.at != minTime && e.at-own.copy.at <= copyFor {
		known = &own.copy
	}
	for _, c := range append(own.copies(e.at), all.copies(e.at)...) {
		hasCopy = true
		allows, unknown := c.allows(e.site, e.who, e.found.target)
		if allows && !isLate {
			return CopyAllows, c
		}
		isUnknown = isUnknown || unknown
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
	case !hasCopy && !j.coverage.isComplete(e.at):
		return LogIncomplete, known
	}
	return Proved, known
}
