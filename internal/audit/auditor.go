package audit

import (
	"time"

	"github.com/heed-robots/heed/internal/printable"
)

// A Reason says why a forbidden request is not proved. The zero Reason means that the request is proved.
type Reason uint8

// If several reasons are true, the first one is used. The reasons that excuse the crawler come first.
const (
	Proved         Reason = iota
	CopyAllows            // the robots.txt that the crawler last fetched allows the request
	DialectsDiffer        // Google's dialect allows the request
	OtherMethod           // the method is neither GET nor HEAD, so the request proves no crawling (AU-8)
	NotBound              // the operator does not promise that the crawler obeys this rule (AU-6)
	LaterList             // the crawler's list of addresses is later than the request, and cannot show who sent it (AU-4)
	NotVerified           // the identity is not Verified
	OutOfOrder            // the line comes too long after later lines
	CopyUnknown           // it is not known which robots.txt the crawler has, for example after a redirect
	LogIncomplete         // requests of the crawler in the 24 hours before may be missing in the log
)

var reasonNames = [...]string{"proved", "copy-allows", "dialects-differ", "method", "not-bound", "later-list", "not-verified", "out-of-order", "copy-unknown", "log-incomplete"}

func (r Reason) String() string { return printable.Name(reasonNames[:], r, "proved") }

const (
	day = int64(24 * time.Hour)
	// A crawler may use its copy of robots.txt for this time.
	copyFor = day
	// While robots.txt is unreachable, a crawler may use its last good copy for this time.
	unreachableFor = 30 * day
)

// A retrieval is a crawler's last request for robots.txt (AU-2), with the copy that the crawler then had.
type retrieval struct {
	time    int64 // minTime if the log shows no such request
	status  int16
	reading int32 // an index in site.versions, or allowsAll, or unknownCopy

	// A good request has the status 200 or 404.
	good    int32
	goodAt  int64 // minTime if the log shows no good request
	failing int64 // the time since which robots.txt is unreachable; minTime if it can be reached
	isLost  bool  // the copy of the last good request is not known
}

const (
	allowsAll   = -2
	unknownCopy = none
)

var noRetrieval = retrieval{time: minTime, goodAt: minTime, failing: minTime}

// The parameter kept is the copy that the crawler may still have from the time before the log.
func (c *retrieval) nextRetrieval(at int64, status int16, inForce, atStart, kept int32) retrieval {
	n := *c
	n.time, n.status = at, status
	hasGood := c.goodAt != minTime && at-c.goodAt <= unreachableFor
	switch {
	case status == 200:
		n.setCopy(inForce)
	case status == 304 && hasGood: // the copy is still valid
		n.setCopy(c.good)
	case status == 304 && inForce == atStart:
		n.setCopy(inForce)
	case status == 304:
		n.setCopy(unknownCopy)
	case status >= 400 && status < 499: // even a 429 allows everything, because in doubt the crawler is right
		n.setCopy(allowsAll)
	case !n.isUnreachable(): // for example a redirect, or a part of the file
		n.reading = unknownCopy
	default:
		if n.reading = kept; hasGood {
			n.reading = c.good
		}
		if c.failing == minTime {
			n.failing = at
		} else if at-c.failing > unreachableFor { // after this time, everything is allowed
			n.reading = allowsAll
		}
	}
	return n
}

func (c *retrieval) isUnreachable() bool { return c.status >= 500 && c.status < 600 }

func (c *retrieval) isOld(at int64) bool {
	if c.isUnreachable() {
		return at-c.time > unreachableFor
	}
	return at-c.time > copyFor
}

func (c *retrieval) setCopy(reading int32) {
	c.reading = reading
	if reading != unknownCopy {
		c.good, c.goodAt, c.failing, c.isLost = reading, c.time, minTime, false
	}
}

func (c *retrieval) allowsRequest(s *site, w *crawler, f *foundRequest) (isAllowed, isUnknown bool) {
	switch c.reading {
	case allowsAll:
		return true, false
	case unknownCopy:
		return false, true
	}
	p := s.versions[c.reading].policiesFor(w)
	isAllowed = p.rfc.Check(f.target).Allowed || p.google.Check(f.target).Allowed ||
		// A crawler that ignores the groups for "*" may fetch what only these groups disallow.
		p.own != nil && !f.notBound && p.own.Check(f.target).Allowed
	return isAllowed, false
}

// A visitor is one crawler at one site, or all crawlers of one operator at one site.
type visitor struct {
	copy     retrieval
	previous retrieval // the retrieval before copy
	last     int64     // the last request of a page; minTime if there was none
}

// Times in logs are whole seconds. If a request and a retrieval are in the same second, the crawler may have used either
// copy.
func (v *visitor) copies(at int64) (all []*retrieval) {
	for _, c := range []*retrieval{&v.copy, &v.previous} {
		if c.time != minTime && !c.isOld(at) {
			all = append(all, c)
		}
		if at/int64(time.Second) != c.time/int64(time.Second) {
			break
		}
	}
	return all
}

// If crawler is nil, the visitor stands for all crawlers of the operator.
type visitorKey struct {
	crawler  *crawler
	operator string
	identity Identity
	site     *site
	host     string // "" means all hosts of the site together
}

const maxVisitors = 200_000

// An auditor gets the requests in the order of time, and decides about each with the help of the earlier ones.
type auditor struct {
	*run
	coverage coverage
	visitors map[visitorKey]*visitor
	rows     map[rowKey]*Row
	later    map[string]bool // the lists that are the reason LaterList, with their dates
}

func (j *auditor) visitor(key visitorKey, now int64) *visitor {
	if v := j.visitors[key]; v != nil {
		return v
	}
	if len(j.visitors) >= maxVisitors {
		for k, v := range j.visitors { // delete visitors whose copies are too old to matter
			if max(v.copy.time, v.last) < now-unreachableFor {
				delete(j.visitors, k)
			}
		}
		if len(j.visitors) >= maxVisitors {
			clear(j.visitors)
			j.coverage.complete = now // what came before is forgotten, to save memory
		}
	}
	v := &visitor{copy: noRetrieval, previous: noRetrieval, last: minTime}
	j.visitors[key] = v
	return v
}

// The parameter isLate means that later events were already processed.
func (j *auditor) event(e *event, isLate bool) {
	if e.kind == lineCount {
		if !isLate {
			j.coverage.addMinute(e.time, int64(e.count))
			if e.isRobots && j.coverage.robots == 0 {
				j.coverage.robots = e.time
			}
		}
		return
	}
	if !isLate {
		j.coverage.addOperator(e.crawler.operator, e.time)
	}
	row := j.row(e.crawler, e.identity)
	counts := e.time >= j.since && e.time < j.until
	if counts {
		row.countRequest(e)
	}
	if e.site == nil {
		return
	}
	all := j.visitor(visitorKey{operator: e.crawler.operator, identity: e.identity, site: e.site}, e.time)
	own := j.visitor(visitorKey{crawler: e.crawler, identity: e.identity, site: e.site}, e.time)
	visitors := append(make([]*visitor, 0, 5), all, own)
	if e.host != "" {
		visitors = append(visitors, j.visitor(visitorKey{operator: e.crawler.operator, identity: e.identity, site: e.site, host: e.host}, e.time),
			j.visitor(visitorKey{crawler: e.crawler, identity: e.identity, site: e.site, host: e.host}, e.time))
	}
	if e.kind == robotsRequest {
		for _, v := range visitors {
			v.previous, v.copy = v.copy, j.retrievalAfter(e, v.copy, isLate)
		}
		return
	}
	if counts && !isLate {
		row.updateAge(e.time, all.copy)
		if e.kind == pageRequest {
			row.countGap(e, own.last)
		}
	}
	if e.kind == pageRequest && !isLate {
		own.last = e.time
	}
	if e.found == nil || !counts {
		return
	}
	// Perhaps there was no list of the crawler's addresses yet when it fetched robots.txt. Then that retrieval has
	// the identity NotCheckable.
	if e.identity == Verified {
		if v := j.visitors[visitorKey{crawler: e.crawler, identity: NotCheckable, site: e.site}]; v != nil {
			visitors = append(visitors, v)
		}
	}
	reason, known := j.reason(e, visitors, isLate)
	if reason == LaterList {
		list := e.found.proof.list
		j.later[printable.Text(list.Name)+" of "+dateOf(list.Dated)] = true
	}
	row.addForbidden(j.finding(e, reason, known), j.wants(e.crawler))
}

func (j *auditor) retrievalAfter(e *event, previous retrieval, isLate bool) retrieval {
	if isLate { // later requests were already processed without this retrieval
		return retrieval{time: max(previous.time, e.time), reading: unknownCopy, goodAt: minTime, failing: minTime, isLost: true}
	}
	start := j.coverage.first
	atStart := int32(e.site.versionAt(start))
	kept := atStart
	if kept != none && e.site.versions[kept].Since.After(time.Unix(0, start-unreachableFor)) || !j.knowsVersions(e, start) {
		kept = unknownCopy // the crawler may have fetched an older version, in a request that the log does not show
	}
	if previous.goodAt != minTime && !j.knowsVersions(e, previous.goodAt) {
		previous.goodAt, previous.isLost = minTime, true
	}
	if previous.isLost {
		atStart, kept = unknownCopy, unknownCopy
	}
	return previous.nextRetrieval(e.time, e.status, e.count, atStart, kept)
}

// Requests for robots.txt may be missing in the log. This matters only if the robots.txt has changed since the
// given time.
func (j *auditor) knowsVersions(e *event, since int64) bool {
	return j.coverage.isWhole(since) || e.site.versionAt(since) == int(e.count)
}

func (j *auditor) reason(e *event, visitors []*visitor, isLate bool) (why Reason, lastRetrieval *retrieval) {
	isUnknown, hasCopy, isShown := false, false, true
	known := &visitors[0].copy
	if own := &visitors[1].copy; own.time != minTime && !own.isOld(e.time) {
		known = own
	}
	for _, v := range visitors {
		for _, c := range v.copies(e.time) {
			hasCopy = true
			allows, unknown := c.allowsRequest(e.site, e.crawler, e.found)
			if allows && !isLate {
				return CopyAllows, c
			}
			isUnknown = isUnknown || unknown
			switch {
			case !c.isUnreachable():
				isShown = isShown && j.knowsVersions(e, c.time)
			case c.goodAt != minTime:
				isShown = isShown && j.knowsVersions(e, c.goodAt)
			default:
				isShown = isShown && j.knowsVersions(e, j.coverage.first)
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
	case e.identity == NotCheckable && f.proof.isLater && !f.proof.isPartly:
		return LaterList, known
	case e.identity != Verified:
		return NotVerified, known
	case isLate:
		return OutOfOrder, known
	case isUnknown:
		return CopyUnknown, known
	case !isShown || !hasCopy && !j.coverage.isComplete(e.time, e.crawler.operator):
		return LogIncomplete, known
	}
	return Proved, known
}
