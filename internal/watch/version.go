package watch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/compare"
	"github.com/heed-robots/heed/crawlers"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/internal/report"
	"github.com/heed-robots/heed/robotstxt"
)

// A Version is what a site answered to a request for its robots.txt.
type Version struct {
	Means     string     `json:"means"`            // what the answer means for crawlers: "rules", "allows-everything" or "disallows-everything"
	Status    int        `json:"status,omitempty"` // the status of the last response
	URL       string     `json:"url,omitempty"`    // the URL of the last response, after redirects; absent if the URL is too long
	Page      fetch.Page `json:"page,omitempty"`   // the kind of page that the site sent instead of a robots.txt
	Truncated bool       `json:"truncated,omitempty"`
	Bytes     int        `json:"bytes"`            // the size of the part of the body that is used, as UTF-8
	SHA256    string     `json:"sha256,omitempty"` // the SHA-256 of the part of the body that is used; absent if there are no rules
	Fetched   time.Time  `json:"fetched"`

	body []byte
}

const (
	meansRules      = "rules"             // the answer has rules
	meansAllowed    = "allows-everything" // there is no robots.txt
	meansDisallowed = "disallows-everything"
)

func meaningOf(o fetch.Outcome) string {
	switch o {
	case fetch.Rules:
		return meansRules
	case fetch.Unavailable:
		return meansAllowed
	}
	return meansDisallowed
}

const maxURLBytes = 2 << 10

func versionOf(site *cache.Site, a *cache.Answer) *Version {
	r := site.Result()
	v := &Version{Means: meaningOf(a.Outcome), Status: r.Status, Fetched: r.End.UTC().Truncate(time.Second)}
	if n := len(r.Hops); n > 0 && len(r.Hops[n-1].URL) <= maxURLBytes {
		v.URL = r.Hops[n-1].URL
	}
	if v.Means == meansRules {
		v.body, v.Bytes, v.Page, v.Truncated = r.Body, len(r.Body), r.Page, r.Truncated
		v.SHA256 = r.SHA256()
	}
	return v
}

// isLike compares without parsing, so it can return false for versions with the same rules.
func (v *Version) isLike(other *Version) bool {
	return v.Means == other.Means && v.SHA256 == other.SHA256 && v.Truncated == other.Truncated
}

// If nothing changed, the version v is kept, because v has the time of the first such answer.
func (v *Version) versionToKeep(next *Version) *Version {
	if v.isLike(next) && v.URL == next.URL && v.Status == next.Status {
		return v
	}
	return next
}

func (v *Version) inWords() string {
	var parts []string
	if v.Status != 0 {
		parts = append(parts, fmt.Sprintf("status %d", v.Status))
	}
	if v.Page != fetch.NoPage {
		parts = append(parts, v.Page.String())
	}
	switch v.Means {
	case meansRules:
		parts = append(parts, printable.Counted(v.Bytes, "byte"))
	case meansAllowed:
		parts = append(parts, "everything is allowed")
	default:
		parts = append(parts, "everything is disallowed")
	}
	return strings.Join(parts, ", ")
}

func (v *Version) input(d *robotstxt.Dialect) report.Input {
	f := robotstxt.Parse(v.body, d)
	if v.Means == meansDisallowed {
		f = (&fetch.Result{}).File(d)
	}
	return report.Input{File: f, Truncated: v.Truncated}
}

type comparer struct {
	dialect  *robotstxt.Dialect
	table    *crawlers.Table
	crawlers [][]string // if empty, all crawlers are compared
	limit    time.Duration
}

type change struct {
	what        []What
	severity    Severity
	verdicts    *Verdicts
	preferences *report.ComparedPreferences
	managed     *Managed
}

var errSlow = errors.New("the comparison of the two robots.txt files takes too long, so heed cannot say which verdicts changed")

// changeBetween returns nil if nothing changed for crawlers. It returns an error only if ctx ends.
func (c *comparer) changeBetween(ctx context.Context, old, new *Version) (*change, error) {
	if old.isLike(new) {
		return nil, nil
	}
	a, b := old.input(c.dialect), new.input(c.dialect)
	limited, cancel := context.WithTimeoutCause(ctx, c.limit, errSlow)
	defer cancel()
	r, err := report.Compare(limited, c.table, a, b, c.crawlers)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		r = report.Comparison{Result: compare.Undecided.String(), Incomplete: true}
	}
	return changeOf(old, new, &r, a.File, b.File), nil
}

func changeOf(old, new *Version, r *report.Comparison, a, b *robotstxt.File) *change {
	c := &change{verdicts: verdictsOf(r), managed: managedOf(r.Managed)}
	if r.Result != compare.Equal.String() {
		c.add(VerdictsChanged, severityOf(old, new, r, b))
		forget(old, new, c.verdicts)
	}
	if p := r.Preferences; p != nil && !p.Is(compare.Equal) {
		c.preferences = preferencesOf(p)
		severity := Medium
		if p.Result != compare.Differs.String() {
			severity = Low
		}
		c.add(PreferencesChanged, severity)
	}
	if c.managed != nil && report.ManagedText(a) != report.ManagedText(b) {
		c.add(ManagedChanged, Low)
	}
	switch {
	case new.Truncated && !old.Truncated:
		c.add(TooLong, Medium)
	case old.Truncated && !new.Truncated:
		c.add(NotTooLong, Low)
	}
	if len(c.what) == 0 {
		return nil
	}
	return c
}

func (c *change) add(what What, s Severity) {
	c.what, c.severity = append(c.what, what), max(c.severity, s)
}

func severityOf(old, new *Version, r *report.Comparison, newFile *robotstxt.File) Severity {
	if r.Result != compare.Differs.String() {
		return Low
	}
	isShutOut := slices.ContainsFunc(r.Crawlers, func(c report.Compared) bool { return c.Effect == report.ShutOut })
	if isShutOut || old.Means == meansRules && (new.Means != meansRules || !hasRules(newFile)) {
		return High
	}
	return Medium
}

// An HTML page, for example, has no rules.
func hasRules(f *robotstxt.File) bool {
	for g := range f.Groups() {
		if len(g.Rules) > 0 {
			return true
		}
	}
	return false
}

// To compare a site without robots.txt, heed makes up rules. These rules must not stand in the event.
func forget(old, new *Version, v *Verdicts) {
	for _, a := range v.Crawlers {
		for i := range a.Changes {
			c := &a.Changes[i]
			if old.Means != meansRules {
				c.Old.Rule, c.Old.Reason = nil, reasonOf(old)
			}
			if new.Means != meansRules {
				c.New.Rule, c.New.Reason = nil, reasonOf(new)
			}
		}
	}
}

func reasonOf(v *Version) robotstxt.Reason {
	if v.Means == meansAllowed {
		return robotstxt.Unavailable
	}
	return robotstxt.Restricted
}
