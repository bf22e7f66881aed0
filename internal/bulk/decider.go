package bulk

import (
	"cmp"
	"sync/atomic"
	"time"

	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/bulk/capture"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
	"github.com/heed-robots/heed/usage"
)

// A Decider decides about URLs with the robots.txt files in archives. NewDecider returns one.
type Decider struct {
	// If Requests is true, the verdicts are about requests for the URLs: see robotstxt.Policy.CheckRequest.
	Requests bool

	// If Use is not nil, each Verdict also has the preferences of the site.
	Use *Use

	// If AtCapture is true, CheckPage uses the robots.txt at the time of the Page, not at Column.AsOf.
	AtCapture bool

	archives  capture.Archives
	columns   []Column
	ifMissing Word
	sites     generations[origin.Origin, []originRules]
	files     generations[fileKey, []fileRules]
	dialects  []dialect
	dialect   []int
	forgot    atomic.Int64
	damage    atomic.Pointer[error]
	unread    atomic.Pointer[origin.Origin]
	page      atomic.Pointer[origin.Origin]
}

type fileRules struct {
	policy *robotstxt.Policy // nil if nothing is known about the robots.txt
	usage  *usage.Policy     // nil if the robots.txt does not say how pages may be used, or if Decider.Use is nil
}

type originRules struct {
	fileRules
	missing Missing
	word    Word // the word of the verdicts if nothing is known about the robots.txt
	// If a rule disallows the URL /robots.txt, fixed may still allow it, because some dialects always allow this URL
	//
	fixed *robotstxt.Policy
}

type dialect struct {
	*robotstxt.Dialect
	columns []int
	empty   *robotstxt.Policy
	fixed   map[fetch.Outcome]*robotstxt.Policy
}

type fileKey struct {
	in      capture.Archive
	body    capture.BodyID
	dialect int
}

// NewDecider returns a Decider. maxMemory limits the bytes of rules in memory; 0 means 1 GiB.
func NewDecider(archives capture.Archives, columns []Column, ifMissing Word, maxMemory int64) *Decider {
	limit := cmp.Or(maxMemory, 1<<30)
	j := &Decider{archives: archives, columns: columns, ifMissing: ifMissing}
	j.sites.limit, j.files.limit = limit/4, limit-limit/4
	j.sites.forgot = func() { j.forgot.Add(1) }
	j.files.forgot = func() {
		j.sites.clear()
		j.forgot.Add(1)
	}
	index := map[*robotstxt.Dialect]int{}
	for i, c := range columns {
		n, ok := index[c.Dialect]
		if !ok {
			n = len(j.dialects)
			index[c.Dialect] = n
			j.dialects = append(j.dialects, newDialect(c.Dialect))
		}
		j.dialects[n].columns = append(j.dialects[n].columns, i)
		j.dialect = append(j.dialect, n)
	}
	return j
}

func newDialect(d *robotstxt.Dialect) dialect {
	return dialect{Dialect: d, empty: robotstxt.Parse(nil, d).Agent(), fixed: map[fetch.Outcome]*robotstxt.Policy{
		fetch.Unavailable: robotstxt.AllowAll(robotstxt.Unavailable, d).Agent(),
		fetch.Unreachable: robotstxt.DisallowAll(robotstxt.Unreachable, d).Agent(),
		fetch.Restricted:  robotstxt.DisallowAll(robotstxt.Restricted, d).Agent(),
	}}
}

func (j *Decider) rulesOf(o origin.Origin) []originRules {
	if all, ok := j.sites.get(o); ok {
		return all
	}
	o = o.Clone()
	all := make([]originRules, len(j.columns))
	for i := range j.columns {
		all[i] = j.rulesFor(o, i, j.columns[i].AsOf)
	}
	const overhead, each = 200, 32 // the approximate sizes in bytes of an entry, and of the rules for one Column
	j.sites.put(o, all, int64(overhead+len(o.Host())+each*len(all)))
	return all
}

func (j *Decider) rulesFor(o origin.Origin, column int, asOf time.Time) originRules {
	c := &j.columns[column]
	answer, err := j.archives.Find(o, asOf, c.Statuses)
	if err != nil {
		return j.unreadable(err)
	}
	outcome, ok := answer.Outcome(o, c.Statuses)
	d := &j.dialects[j.dialect[column]]
	switch {
	case capture.IsRevisit(answer.Missed) && !ok:
		return originRules{missing: NoOriginal}
	case answer.Missed != "" && !ok:
		return originRules{missing: NoTarget, word: j.ifMissing}
	case !ok:
		return originRules{missing: NoCapture, word: j.ifMissing}
	case outcome != fetch.Rules:
		return originRules{fileRules: fileRules{policy: d.fixed[outcome]}, missing: Known, fixed: d.empty}
	}
	if answer.Page != fetch.NoPage {
		setFirst(&j.page, o)
	}
	of, err := j.compileFile(o, fileKey{answer.In, answer.Body, j.dialect[column]})
	if err != nil {
		return j.unreadable(err)
	}
	return originRules{fileRules: of[column], missing: Known}
}

func (j *Decider) unreadable(err error) originRules {
	j.damage.CompareAndSwap(nil, &err)
	return originRules{missing: Unreadable}
}

// Damage returns an error about an archive if a verdict was Unreadable, else nil.
func (j *Decider) Damage() error {
	if err := j.damage.Load(); err != nil {
		return *err
	}
	return nil
}

// Unread returns an origin whose robots.txt has preferences that cannot be read. It returns the first such origin that the
// Decider found, or nil.
func (j *Decider) Unread() *origin.Origin { return j.unread.Load() }

// Page returns an origin whose robots.txt is an HTML page or a JSON value, and was read as rules. It returns the first such
// origin that was found, or nil.
func (j *Decider) Page() *origin.Origin { return j.page.Load() }

func setFirst(first *atomic.Pointer[origin.Origin], o origin.Origin) {
	if first.Load() == nil {
		o = o.Clone()
		first.CompareAndSwap(nil, &o)
	}
}

func (j *Decider) compileFile(o origin.Origin, key fileKey) ([]fileRules, error) {
	if p, ok := j.files.get(key); ok {
		return p, nil
	}
	text, err := key.in.Body(key.body)
	if err != nil {
		return nil, err
	}
	d := &j.dialects[key.dialect]
	file := robotstxt.ParseString(text, d.Dialect)
	policies := make([]*robotstxt.Policy, len(j.columns))
	for _, i := range d.columns {
		policies[i] = file.Agent(j.columns[i].Agents...)
	}
	policies, size := robotstxt.Compact(policies)
	all := make([]fileRules, len(policies))
	for i, p := range policies {
		all[i].policy = p
	}
	if j.Use != nil {
		size += j.addUsage(o, all, file, d.columns)
	}
	j.files.put(key, all, int64(size+16*len(all)))
	return all, nil
}

func (j *Decider) addUsage(o origin.Origin, to []fileRules, file *robotstxt.File, columns []int) (bytes int) {
	for _, i := range columns {
		whole := usage.New(file, usage.Options{Profile: j.Use.profile}, j.columns[i].Agents...)
		if whole.HasUnread() {
			setFirst(&j.unread, o)
		}
		policy, n := whole.Compact()
		to[i].usage, bytes = policy, bytes+n
	}
	return bytes
}

func (r *originRules) verdict(d robotstxt.Decision, url string) Verdict {
	if r.policy == nil {
		return Verdict{Word: r.word, Missing: r.missing}
	}
	if r.fixed != nil && !d.Allowed {
		if always := r.fixed.Check(url); always.Reason == robotstxt.RobotsTxtItself {
			d = always
		}
	}
	return Verdict{Decision: d, Word: wordOf(d), Missing: Known}
}
