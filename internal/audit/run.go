package audit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"github.com/heed-robots/heed/crawlers"
	"github.com/heed-robots/heed/internal/accesslog"
	"github.com/heed-robots/heed/internal/ordered"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/internal/ranges"
	"github.com/heed-robots/heed/internal/spelling"
	"github.com/heed-robots/heed/origin"
)

type Options struct {
	Logs   []string // the names of the log files; "-" is Stdin
	Stdin  io.Reader
	Fields accesslog.Fields

	// Versions returns an origin's versions of robots.txt, the earliest first. It returns no versions if nothing
	// is known about the origin.
	Versions func(origin.Origin) ([]Version, error)
	// If IsOneSite is true, the robots.txt of Origin applies to all hosts in the logs.
	IsOneSite bool
	// If Origin is set, requests to other hosts are left out. A request without a host counts as a request to Origin.
	Origin origin.Origin

	Table    *crawlers.Table
	Ranges   *ranges.Folder // lists of crawlers' addresses; nil if there are none
	Resolver Resolver       // if nil, no host names are looked up
	Proxies  ranges.Proxies // X-Forwarded-For is believed only from these proxies (AU-12)
	Since    time.Time      // earlier requests do not count, but show which robots.txt a crawler has; zero means no limit
	Until    time.Time      // requests from this time on do not count; zero means no limit
	IsSample bool           // lines are missing in the logs, so no report may say that a crawler fetched no robots.txt

	// Evidence gets the forbidden requests of crawlers for which Wants returns true. Both Evidence and Wants may be nil.
	// An error of Evidence ends Run.
	Evidence func(*Finding) error
	Wants    func(crawler string) bool

	Workers int          // 0 means runtime.GOMAXPROCS
	Read    atomic.Int64 // bytes of the logs read so far, before decompression
	Lines   atomic.Int64
}

type run struct {
	*Options
	since int64
	until int64
	crowd crowd
	sites sites
	names resolvedNames

	ctx  context.Context
	fail context.CancelCauseFunc // ends ctx
}

func (r *run) wants(w *crawler) bool { return r.Wants != nil && r.Wants(w.name) }

func Run(ctx context.Context, o *Options) (*Report, error) {
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	r := &run{Options: o, ctx: ctx, fail: fail, since: minTime, until: maxTime, crowd: crowd{table: o.Table, ranges: o.Ranges, byName: map[string]*crawler{}},
		sites: sites{find: o.Versions, byDefault: o.Origin, known: map[origin.Origin]*site{}}}
	if !o.Since.IsZero() {
		r.since = o.Since.UnixNano()
	}
	if !o.Until.IsZero() {
		r.until = o.Until.UnixNano()
	}
	if o.IsOneSite {
		all, err := o.Versions(o.Origin)
		if err != nil {
			return nil, err
		}
		r.sites.single = newSite(all)
	}
	logs := make([]*log, len(o.Logs))
	defer func() {
		for _, l := range logs {
			if l != nil {
				l.close()
			}
		}
	}()
	for i, name := range o.Logs {
		var err error
		if logs[i], err = r.open(name); err != nil {
			return nil, err
		}
	}
	if slices.ContainsFunc(logs, func(l *log) bool { return l.isMasked }) {
		for _, l := range logs {
			l.isMasked = l.mayBeMasked
		}
	}
	if err := checkTwice(logs); err != nil {
		return nil, err
	}
	return r.run(logs)
}

func (r *run) run(logs []*log) (*Report, error) {
	j := &auditor{run: r, visitors: map[visitorKey]*visitor{}, rows: map[rowKey]*Row{}, later: map[string]bool{}, coverage: coverage{isSample: r.IsSample}}
	o := newOrder(j.event, logs)
	sum := newSummary(r, logs)
	ordered.Map(cmp.Or(r.Workers, runtime.GOMAXPROCS(0)), ordered.Until(r.ctx, r.parts(logs)), r.scanner, func(s scanned) {
		switch {
		case r.ctx.Err() != nil:
		case s.isEnd:
			o.endLog(s.part.input)
			if s.err != nil {
				j.coverage.isSample = true // the rest of the lines is missing
				sum.coverage.Broken = append(sum.coverage.Broken, s.err.Error())
			}
		case s.batch != nil:
			r.Lines.Add(s.Lines + s.Unreadable)
			sum.add(s.batch)
			o.add(s.events, s.part.input, s.last)
		}
	})
	if r.ctx.Err() == nil {
		o.finish()
	}
	if err := context.Cause(r.ctx); err != nil {
		return nil, err
	}
	return r.report(j.report(), sum.close(j, o))
}

func newOrder(give func(*event, bool), logs []*log) *order {
	o := &order{give: give, frontiers: make([]int64, len(logs))}
	for i, l := range logs {
		o.frontiers[i] = l.readUntil
		if l.isDone {
			o.endLog(i)
		}
	}
	return o
}

func newSummary(r *run, logs []*log) *summary {
	sum := &summary{coverage: &Coverage{Logs: r.Logs, IsSample: r.IsSample}, others: map[string]int64{}}
	for _, l := range logs {
		if l.format != nil && !slices.Contains(sum.coverage.Formats, l.format.Name) {
			sum.coverage.Formats = append(sum.coverage.Formats, l.format.Name)
		}
	}
	return sum
}

type part struct {
	block
	isEnd bool
	err   error // why the log could not be read to its end
}

type scanned struct {
	*batch
	part
}

// The next part comes from the log that is furthest behind in time, so requests are almost in order.
func (r *run) parts(logs []*log) iter.Seq[part] {
	return func(yield func(part) bool) {
		for {
			next := -1
			for i, l := range logs {
				if !l.isDone && (next < 0 || l.readUntil < logs[next].readUntil) {
					next = i
				}
			}
			if next < 0 {
				return
			}
			b, ok, err := logs[next].next(r, next)
			if !yield(part{b, !ok, err}) {
				return
			}
		}
	}
}

func (r *run) scanner() func(part) scanned {
	s := &scanner{run: r, agents: map[string]*crawler{}, hosts: map[string]string{}}
	return func(p part) scanned {
		if p.isEnd || r.ctx.Err() != nil {
			p.Recycle()
			return scanned{part: p}
		}
		return scanned{s.scan(p.block), p}
	}
}

func (r *run) report(rows []*Row, c *Coverage) (*Report, error) {
	switch {
	case c.Lines == 0:
		return nil, errors.New("no line of the logs could be read: expected access logs of web servers")
	case c.To.Before(r.Since):
		return nil, fmt.Errorf("no request is later than %s: the last request in the logs is from %s, so give an earlier time with --since", r.Since.Format(time.RFC3339), c.To.Format(time.RFC3339))
	case !r.Until.IsZero() && !c.From.Before(r.Until):
		return nil, fmt.Errorf("no request is earlier than %s: the first request in the logs is from %s, so give a later time with --until", r.Until.Format(time.RFC3339), c.From.Format(time.RFC3339))
	case c.OtherHosts > 0 && c.OtherHosts+c.NotHTTP >= c.Lines: // a request that is not HTTP may have no host
		return nil, errors.New(noneOf(r.Origin.Host(), c.Hosts))
	}
	hasVersion := func(row *Row) bool { return row.hasVersion }
	if len(rows) > 0 && !slices.ContainsFunc(rows, hasVersion) {
		c.Problem = "no request of a crawler could be checked: " + r.whyUnchecked(c)
	}
	return &Report{Coverage: *c, Crawlers: rows}, nil
}

func (r *run) whyUnchecked(c *Coverage) string {
	hosts := ""
	switch {
	case r.IsOneSite:
	case !r.Origin.IsZero():
		hosts = " of " + r.Origin.Host()
	case c.noHost && c.Versions == 0:
		return "lines of the logs have no host, so no robots.txt can be found for them; name the site with --origin"
	case c.Versions == 0:
		hosts = " of " + printable.Some(c.Hosts, ", ")
	}
	return "--robots has no robots.txt" + hosts + " from before these requests"
}

func noneOf(host string, others []string) string {
	text := fmt.Sprintf("no request in the logs is to %s, the host of --origin", host)
	if meant := spelling.Closest(host, others); meant != "" {
		text += "; did you mean " + meant + "?"
	}
	return printable.Text(text + "; the logs have requests to " + printable.Some(others, ", "))
}
