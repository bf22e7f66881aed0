package policyfile

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/heed-robots/heed/compare"
	"github.com/heed-robots/heed/crawlers"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/robotstxt"
)

// A Proof is what a comparison of a robots.txt with a policy has found out.
type Proof struct {
	Result   string   `json:"result"`   // "equal", "differs" or "undecided"
	Crawlers int      `json:"crawlers"` // that were compared, and all others
	Dialects []string `json:"dialects"` // in which the robots.txt means the policy

	Differences []PolicyDifference `json:"differences,omitempty"`
	// Others are dialects in which it does not, such as that of 1994, and the first difference there.
	Others []OtherDialect `json:"others,omitempty"`
}

// A PolicyDifference is a URL about which a robots.txt says something else than a policy.
type PolicyDifference struct {
	Crawlers []string `json:"crawlers"` // "*" is all others
	Unnamed  bool     `json:"unnamed"`  // the policy speaks of them by a purpose, and the robots.txt names none of them
	What     string   `json:"what"`     // "verdict", "crawl-delay", "sitemap", or a purpose such as "train-ai"
	Witness  string   `json:"witness,omitempty"`
	Policy   string   `json:"policy"` // what the policy says
	File     string   `json:"file"`   // what the robots.txt says
	Because  string   `json:"because,omitempty"`
}

// OtherDialect is a dialect in which a robots.txt does not mean the policy.
type OtherDialect struct {
	Dialect  string   `json:"dialect"`
	Title    string   `json:"title"` // of the dialect, for people
	Crawlers []string `json:"crawlers"`
	Witness  string   `json:"witness"`
	Policy   string   `json:"policy"`
	File     string   `json:"file"`
}

// proved are the dialects in which a robots.txt must mean the policy; old are those in which it should.
var (
	proved = []*robotstxt.Dialect{robotstxt.RFC9309, robotstxt.Google}
	old    = []*robotstxt.Dialect{robotstxt.Draft2019, robotstxt.Draft1996, robotstxt.Standard1994}
)

// A Tester tests a robots.txt with cases in the text form of package conformance. The name is that of the file with the cases.
// It returns how many there are, and an error for each that fails.
type Tester func(name, cases, robots string) (count int, failed []error)

// Write returns the robots.txt that the policy means for the crawlers of a table and all others. It is an error if it is
// not proved that it does, or if an expectation fails. A policy with expectations needs a Tester.
func (f *File) Write(ctx context.Context, table *crawlers.Table, test Tester) (*Written, error) {
	written, err := f.write(table)
	if err == nil {
		err = written.prove(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: nothing is written: %w", f.Name, err)
	}
	cases := strings.Join(f.cases, "\n")
	switch {
	case strings.TrimSpace(cases) == "":
		return written, nil
	case test == nil:
		return nil, fmt.Errorf("%s: nothing is written, because expectations cannot be tested here; heed write and heed serve test them", f.Name)
	}
	var failed []error
	if written.Cases, failed = test(f.Name, cases, written.Robots); len(failed) > 0 {
		return nil, &Unexpected{f.Name, written.Cases, failed}
	}
	return written, nil
}

// An Unexpected is the error of a policy whose expectations fail.
type Unexpected struct {
	name   string
	cases  int
	failed []error
}

func (u *Unexpected) Error() string {
	return fmt.Sprintf("%s: nothing is written, because %d of %d expectations fail:\n%v", u.name, len(u.failed), u.cases, errors.Join(u.failed...))
}

// Unwrap returns an error for each expectation that fails.
func (u *Unexpected) Unwrap() []error { return u.failed }

// prove proves that what was written means the policy.
func (w *Written) prove(ctx context.Context) error {
	file := robotstxt.ParseString(w.Robots, robotstxt.RFC9309)
	w.Proof = prove(ctx, w.contents, w.tokens, file, proved...)
	w.Proof.Crawlers = w.crawlers
	for _, d := range old {
		if p := prove(ctx, w.contents, w.tokens, file, d); p.Result == compare.Differs.String() {
			first := p.Differences[0]
			w.Proof.Others = append(w.Proof.Others, OtherDialect{d.String(), d.Title(), first.Crawlers, first.Witness, first.Policy, first.File})
		} else if p.Result == compare.Equal.String() {
			w.Proof.Dialects = append(w.Proof.Dialects, d.String())
		}
	}
	if w.Proof.Result != compare.Equal.String() {
		return fmt.Errorf("the robots.txt is not proved to mean the policy: %s", w.Proof.Why())
	}
	return nil
}

// Why returns why a proof is none, in words.
func (p *Proof) Why() string {
	if len(p.Differences) == 0 {
		return "that takes too much work; fewer wildcards take less"
	}
	return p.Differences[0].InWords()
}

// InWords returns a difference as a sentence. It is safe to print.
func (d *PolicyDifference) InWords() string {
	names := d.Crawlers
	if len(names) > 8 {
		names = append(slices.Clone(names[:8]), fmt.Sprintf("%d more", len(names)-8))
	}
	if len(names) > 1 && names[0] == compare.Everyone {
		names = append(slices.Clone(names[1:]), "everyone whom no line names")
	}
	who, witness := printable.Text(strings.Join(names, ", ")), printable.Text(d.Witness)
	if who == compare.Everyone {
		who = "everyone whom no line names"
	}
	switch {
	case d.What == "sitemap":
		return fmt.Sprintf("the sitemap %s is %s; the policy says %s", witness, d.File, d.Policy)
	case d.What == "crawl-delay":
		return fmt.Sprintf("%s: the crawl delay is %s; the policy says %s", who, d.File, d.Policy)
	case d.What != "verdict":
		return fmt.Sprintf("%s: %s of %s is %s; the policy says %s", who, d.What, witness, d.File, d.Policy)
	}
	text := fmt.Sprintf("%s: %s is %s (%s); the policy says %s", who, witness, d.File, d.Because, d.Policy)
	if d.Unnamed {
		text += ". The file names none of them: are they new in the table of crawlers?"
	}
	return text
}

// Check finds out if a robots.txt means the policy, for the crawlers of a table, those that the policy or the file names, and all
// others.
func (f *File) Check(ctx context.Context, file *robotstxt.File, table *crawlers.Table) (*Proof, error) {
	if err := checkIsRead(file); err != nil {
		return nil, err
	}
	var names []string
	for g := range file.Groups() {
		for _, agent := range g.Agents {
			names = append(names, agent.Name)
		}
	}
	w := newWriter(f)
	all, count := crawlersOf(table, f, names...)
	if err := w.readContents(all); err != nil {
		return nil, err
	}
	w.nameCrawlers(all)
	p := prove(ctx, w.all, w.tokens(all), file, proved...)
	p.Crawlers = count
	p.Differences = append(p.Differences, f.sitemapsThatDiffer(file)...)
	if len(p.Differences) > 0 {
		p.Result = compare.Differs.String()
	}
	return p, nil
}

// ErrNoRobots is the error of a site without a robots.txt, or whose robots.txt could not be retrieved.
var ErrNoRobots = errors.New("there is no robots.txt to read")

// checkIsRead returns an error for a robots.txt that is not there, or could not be retrieved: it says nothing.
func checkIsRead(file *robotstxt.File) error {
	switch reason := file.Agent().Otherwise().Reason; reason {
	case robotstxt.Unavailable, robotstxt.Restricted, robotstxt.Unreachable:
		return fmt.Errorf("%w: %s", ErrNoRobots, reason)
	}
	return nil
}

// sitemapsThatDiffer compares the sitemaps.
func (f *File) sitemapsThatDiffer(file *robotstxt.File) (all []PolicyDifference) {
	there := slices.Collect(file.SitemapURLs())
	for _, s := range f.sitemaps {
		if !slices.Contains(there, s) {
			all = append(all, PolicyDifference{Crawlers: []string{compare.Everyone}, What: "sitemap", Witness: s, Policy: "listed", File: "not listed"})
		}
	}
	for _, s := range there {
		if !slices.Contains(f.sitemaps, s) {
			all = append(all, PolicyDifference{Crawlers: []string{compare.Everyone}, What: "sitemap", Witness: s, Policy: "not listed", File: "listed"})
		}
	}
	return all
}

// prove compares a robots.txt with what a policy says, in some dialects.
func prove(ctx context.Context, contents []*content, tokens []tokenGroup, file *robotstxt.File, dialects ...*robotstxt.Dialect) *Proof {
	p := &Proof{Result: compare.Equal.String(), Dialects: []string{}}
	for _, d := range dialects {
		if file.Dialect() != d {
			file = file.In(d)
		}
		result := compare.Equal
		for _, c := range contents {
			outcome, differences := c.compare(ctx, tokens, file)
			if outcome != compare.Equal && result != compare.Differs {
				result = outcome
			}
			p.addAll(differences)
		}
		switch {
		case result == compare.Equal:
			p.Dialects = append(p.Dialects, d.String())
		case p.Result != compare.Differs.String():
			p.Result = result.String()
		}
	}
	return p
}

// addAll adds differences, those of several crawlers about the same together.
func (p *Proof) addAll(differences []PolicyDifference) {
	for _, d := range differences {
		at := slices.IndexFunc(p.Differences, func(o PolicyDifference) bool {
			return o.What == d.What && o.Witness == d.Witness && o.Policy == d.Policy && o.File == d.File && o.Because == d.Because && o.Unnamed == d.Unnamed
		})
		if at < 0 {
			p.Differences = append(p.Differences, d)
			continue
		}
		for _, name := range d.Crawlers {
			if !slices.Contains(p.Differences[at].Crawlers, name) {
				p.Differences[at].Crawlers = append(p.Differences[at].Crawlers, name)
			}
		}
	}
}

// reference returns the content as a robots.txt for its crawlers alone, with all rules of the policy. In dialects where the
// longest path decides, it is read as the file with which it is compared. The groups of purpose tokens are added.
func (c *content) reference(d *robotstxt.Dialect, tokens []tokenGroup) *robotstxt.File {
	if !slices.Contains(proved, d) {
		d = robotstxt.RFC9309
	}
	var b strings.Builder
	for _, user := range c.users {
		fmt.Fprintf(&b, "User-agent: %s\n", user.name())
	}
	b.WriteString(c.exact)
	for _, t := range tokens {
		if !slices.ContainsFunc(c.users, func(user *crawler) bool { return user.token == tokenOf(t.name) }) {
			fmt.Fprintf(&b, "\nUser-agent: %s\n%s", t.name, t.lines)
		}
	}
	return robotstxt.ParseString(b.String(), d.WithLimit(b.Len()))
}

// name returns what a User-agent line has for a crawler.
func (c *crawler) name() string {
	if c.token == "" {
		return compare.Everyone
	}
	return c.names[0]
}

// compare compares a robots.txt with what the policy says of the crawlers of a content.
func (c *content) compare(ctx context.Context, tokens []tokenGroup, file *robotstxt.File) (compare.Outcome, []PolicyDifference) {
	if len(c.users) == 0 {
		return compare.Equal, nil
	}
	reference := c.reference(file.Dialect(), nil)
	var chains [][]string
	for _, user := range c.users {
		if user.token == "" {
			chains = append(chains, []string{compare.Everyone})
		} else {
			chains = append(chains, user.agents)
		}
	}
	result := compare.FilesFor(ctx, reference, file, chains...)
	outcome := result.Outcome
	if outcome == compare.Differs { // perhaps only about /robots.txt, which some dialects always allow
		outcome = compare.Equal
	}
	var all []PolicyDifference
	for i, r := range result.Crawlers {
		of := PolicyDifference{Crawlers: []string{c.users[i].name()}, Unnamed: c.users[i].isByPurpose && !r.New.IsNamed()}
		for _, change := range r.Result.Changes {
			if change.Witness == "/robots.txt" {
				continue
			}
			d := of
			d.What, d.Witness, d.Policy, d.File, d.Because = "verdict", change.Witness, verdict(change.Old), verdict(change.New), change.New.Because()
			all = append(all, d)
			break
		}
		if delays := [2]string{delayOf(r.Old), delayOf(r.New)}; delays[0] != delays[1] && !c.isClosed() {
			d := of
			d.What, d.Policy, d.File = "crawl-delay", delays[0], delays[1]
			all = append(all, d)
		}
	}
	if len(c.wishes) > 0 || len(tokens) > 0 || file.HasKey("content-usage", "content-signal") {
		preferences, undecided := c.comparePreferences(ctx, c.reference(file.Dialect(), tokens), file, result.Crawlers)
		all = append(all, preferences...)
		if undecided && outcome == compare.Equal {
			outcome = compare.Undecided
		}
	}
	if len(all) > 0 {
		outcome = compare.Differs
	}
	return outcome, all
}

func (c *content) comparePreferences(ctx context.Context, reference, file *robotstxt.File, crawlers []compare.Crawler) (all []PolicyDifference, undecided bool) {
	for i, r := range compare.Preferences(ctx, reference, file, crawlersIn(reference, crawlers)) {
		if c.users[i].only && len(c.exact) == len(emptyGroup) {
			continue // nothing is said of it
		}
		for _, purpose := range r.Purposes {
			switch purpose.Outcome {
			case compare.Undecided:
				undecided = true
			case compare.Differs:
				all = append(all, PolicyDifference{Crawlers: []string{c.users[i].name()}, What: purpose.Purpose.String(), Witness: purpose.Witness,
					Policy: purpose.Old.String(), File: purpose.New.String()})
			}
		}
	}
	return all, undecided
}

// crawlersIn returns crawlers with their policies in another old file.
func crawlersIn(old *robotstxt.File, crawlers []compare.Crawler) []compare.Crawler {
	crawlers = slices.Clone(crawlers)
	for i := range crawlers {
		crawlers[i].Old = old.Agent(crawlers[i].Tokens...)
	}
	return crawlers
}

func verdict(d robotstxt.Decision) string {
	if d.Allowed {
		return "allowed"
	}
	return "disallowed"
}

func delayOf(p *robotstxt.Policy) string {
	if delay, ok := p.CrawlDelay(); ok {
		return delay.String()
	}
	return "none"
}
