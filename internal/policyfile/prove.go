package policyfile

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/heed-robots/heed/compare"
	"github.com/heed-robots/heed/crawlers"
	"github.com/heed-robots/heed/internal/ascii"
	"github.com/heed-robots/heed/internal/crawlernames"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/robotstxt"
	"github.com/heed-robots/heed/robotstxt/record"
	"github.com/heed-robots/heed/usage"
)

// A Proof is the result of comparing a robots.txt with a policy.
type Proof struct {
	Result   string   `json:"result"`   // "equal", "differs" or "undecided"
	Crawlers int      `json:"crawlers"` // how many product tokens of known crawlers were compared
	For      string   `json:"for"`      // for which crawlers the proof is, such as "297 product tokens of known crawlers, GTPBot and all others"
	Dialects []string `json:"dialects"` // the dialects in which the robots.txt and the policy have the same meaning

	Differences []PolicyDifference `json:"differences,omitempty"`
	// Others are the old dialects in which the robots.txt and the policy have different meanings, each with one example.
	Others []OtherDialect `json:"others,omitempty"`
	// OthersInWords has a text for each example in Others. Dialects with the same example share a text.
	OthersInWords []string `json:"others_in_words,omitempty"`
	// Notes say for which crawlers nothing is proved, and why. Only Check sets Notes. For Write,
	// these notes are in Written.Notes.
	Notes []string `json:"notes,omitempty"`
}

// A PolicyDifference is an example of a difference between a robots.txt and a policy.
type PolicyDifference struct {
	Crawlers []string `json:"crawlers"` // "*" stands for all crawlers without a group
	Unnamed  bool     `json:"unnamed"`  // the robots.txt does not name the crawlers, and the policy names only their purpose or operator
	What     string   `json:"what"`     // what differs: "verdict", "crawl-delay", "records", "sitemap", or a purpose such as "train-ai"
	Witness  string   `json:"witness,omitempty"`
	Policy   string   `json:"policy"`            // what the policy says, for example "allowed"
	File     string   `json:"file"`              // what the robots.txt says, for example "disallowed"
	Because  string   `json:"because,omitempty"` // the deciding line of the robots.txt, or the reason; absent if crawlers differ in this
	Dialects []string `json:"dialects"`          // the dialects with this difference

	sets map[string]string // for crawlers that the policy does not name: the purpose or operator that it names
}

// OtherDialect is an old dialect in which a robots.txt and the policy have different meanings.
type OtherDialect struct {
	Dialect  string   `json:"dialect"`
	Title    string   `json:"title"` // the name of the dialect in texts
	Crawlers []string `json:"crawlers"`
	Witness  string   `json:"witness"`
	Policy   string   `json:"policy"`
	File     string   `json:"file"`

	text string
}

// The robots.txt must have the meaning of the policy in each dialect of the list proved. For the dialects of the list old,
// differences are only reported.
var (
	proved = []*robotstxt.Dialect{robotstxt.RFC9309, robotstxt.Google}
	old    = []*robotstxt.Dialect{robotstxt.Draft2019, robotstxt.Draft1996, robotstxt.Standard1994}
)

// A Tester tests a robots.txt with cases. It returns how many cases it ran, how many failed, and some of the errors.
type Tester func(name, cases, robots string) (count, failed int, told []error)

// Write returns a robots.txt with the meaning of the policy, or an error if it cannot prove this.
func (f *File) Write(ctx context.Context, table *crawlers.Table, test Tester) (*Written, error) {
	written, err := f.write(ctx, table)
	if err == nil {
		err = written.prove(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: nothing is written: %w", f.Name, err)
	}
	if written.Cases, err = f.test(written.Robots, test); err != nil {
		return nil, fmt.Errorf("%s: nothing is written: %w", f.Name, err)
	}
	return written, nil
}

func (f *File) test(robots string, test Tester) (cases int, err error) {
	text := strings.Join(f.cases, "\n")
	switch {
	case strings.TrimSpace(text) == "":
		return 0, nil
	case test == nil:
		return 0, errors.New(`only "heed write" and "heed serve" can test the expectations of a policy: use one of them, or leave the expectations out`)
	}
	cases, failed, told := test(f.Name, text, robots)
	if failed > 0 {
		err = &Unexpected{cases, failed, told}
	}
	return cases, err
}

// An Unexpected is the error of Write and Check if expectations ("expect" lines) of a policy fail.
type Unexpected struct {
	cases, failed int
	told          []error
}

func (u *Unexpected) Error() string {
	fail := "fail"
	if u.failed == 1 {
		fail = "fails"
	}
	return fmt.Sprintf("%d of %d expectations %s:\n%v", u.failed, u.cases, fail, errors.Join(u.told...))
}

func (u *Unexpected) Unwrap() []error { return u.told }

func (w *Written) prove(ctx context.Context) error {
	file := robotstxt.ParseString(w.Robots, robotstxt.RFC9309)
	for _, d := range proved {
		if err := w.checkParts(file.In(d)); err != nil {
			return err
		}
	}
	w.Proof = prove(ctx, w.contents, w.tokens, file, proved...)
	w.Proof.setScope(w.scope)
	for _, d := range old {
		if p := prove(ctx, w.contents, w.tokens, file, d); p.Result == compare.Differs.String() {
			first := p.Differences[0]
			first.Unnamed = false // in an old dialect, a crawler may not find its name although the file has it
			w.Proof.Others = append(w.Proof.Others, OtherDialect{d.String(), d.Title(), first.Crawlers, first.Witness, first.Policy, first.File, first.InWords() + inOtherURLs(p.Differences)})
		} else if p.Result == compare.Equal.String() {
			w.Proof.Dialects = append(w.Proof.Dialects, d.String())
		}
	}
	w.Proof.OthersInWords = inWords(w.Proof.Others)
	if w.Proof.Result != compare.Equal.String() {
		return fmt.Errorf("heed could not prove that the robots.txt means the same as the policy: %s", w.Proof.why())
	}
	return nil
}

// inOtherURLs names the crawlers of all differences after the first.
func inOtherURLs(all []PolicyDifference) string {
	rest := PolicyDifference{sets: all[0].sets}
	for _, d := range all[1:] {
		for _, name := range d.Crawlers {
			if !slices.Contains(all[0].Crawlers, name) && !slices.Contains(rest.Crawlers, name) {
				rest.Crawlers = append(rest.Crawlers, name)
			}
		}
	}
	if rest.Crawlers == nil {
		return ""
	}
	return "; other URLs differ for " + rest.Whom()
}

func inWords(others []OtherDialect) (texts []string) {
	titles := map[string][]string{}
	for _, o := range others {
		titles[o.text] = append(titles[o.text], o.Title)
	}
	for _, o := range others {
		if same := titles[o.text]; o.Title == same[0] {
			texts = append(texts, fmt.Sprintf("a crawler that still reads the file by the %s differs. For %s", strings.Join(same, " or the "), o.text))
		}
	}
	return texts
}

// checkParts returns an error if crawlers would read other names or rules than heed meant to write.
func (w *Written) checkParts(file *robotstxt.File) error {
	rules, names := 0, 0
	for g := range file.Groups() {
		rules += len(g.Rules)
		for _, agent := range g.Agents {
			if names++; !agent.Everyone && !w.names[ascii.ToLower(agent.Name)] {
				return fmt.Errorf("a fault in heed: the robots.txt would name %s, which the policy does not name; report this", printable.Quote(agent.Name))
			}
		}
	}
	if rules != w.rules || names != w.agents {
		return fmt.Errorf("a fault in heed: crawlers would read %d rules and %d names in the robots.txt, but heed wrote %d rules and %d names; report this", rules, names, w.rules, w.agents)
	}
	return nil
}

func (p *Proof) setScope(s scope) { p.Crawlers, p.For = s.known, s.inWords() }

func (p *Proof) why() string {
	if len(p.Differences) == 0 {
		return "the proof takes too much work; use fewer wildcards"
	}
	return p.Differences[0].InWords()
}

const listed, notListed = "listed", "not listed"

// InWords returns a difference as a sentence. The sentence is safe to print.
func (d *PolicyDifference) InWords() string {
	text := d.Fact()
	if whom := d.Whom(); whom != "" {
		text = whom + ": " + text
	}
	if len(d.Dialects) == 1 && d.Dialects[0] == robotstxt.Google.String() {
		text = "only as Google reads it: " + text
	}
	if d.Unnamed {
		text += ". The file does not name them: perhaps " + WhyUnnamed
	}
	return text
}

// WhyUnnamed says why a robots.txt does not name the crawlers of a difference.
const WhyUnnamed = "they are new in heed's table of crawlers, their lines were removed from the file, or the policy was changed"

// Whom returns the first crawlers, or "" if the difference is about the whole file.
func (d *PolicyDifference) Whom() string {
	if d.What == "sitemap" || d.What == "record" {
		return ""
	}
	names := d.inSets()
	if i := slices.Index(names, compare.Everyone); i >= 0 {
		names = slices.Insert(slices.Delete(names, i, i+1), 0, crawlernames.WithoutGroup)
	}
	return printable.Text(printable.Some(names, ", "))
}

// inSets returns the crawlers. If there are many of one set, such as a purpose, it counts them instead. These counts come
// first, so that a list that is cut does not count a set as one crawler.
func (d *PolicyDifference) inSets() []string {
	const few = 5
	var counts, names []string
	members := map[string][]string{}
	for _, name := range d.Crawlers {
		members[d.sets[name]] = append(members[d.sets[name]], name)
	}
	for _, name := range d.Crawlers {
		set := d.sets[name]
		switch all := members[set]; {
		case set == "" || len(all) <= few:
			names = append(names, name)
		case name == all[0]:
			counts = append(counts, printable.Counted(len(all), "product token")+" of "+set)
		}
	}
	return append(counts, names...)
}

// Fact returns what the file and the policy say.
func (d *PolicyDifference) Fact() string {
	witness := printable.Text(d.Witness)
	switch d.What {
	case "sitemap", "record":
		if d.File == listed {
			return fmt.Sprintf("the %s %s is in the file, but not in the policy", d.What, witness)
		}
		return fmt.Sprintf("the %s %s is in the policy, but not in the file", d.What, witness)
	case "crawl-delay":
		return fmt.Sprintf("the crawl delay is %s; the policy says %s", delayInWords(d.File), delayInWords(d.Policy))
	case "records":
		return fmt.Sprintf("the other records are %s; the policy says %s", printable.Text(d.File), printable.Text(d.Policy))
	case "verdict":
		if d.Because == "" {
			return fmt.Sprintf("%s is %s; the policy says %s", witness, d.File, d.Policy)
		}
		return fmt.Sprintf("%s is %s (%s); the policy says %s", witness, d.File, d.Because, d.Policy)
	default:
		return fmt.Sprintf("%s of %s is %s; the policy says %s", d.What, witness, d.File, d.Policy)
	}
}

// delayInWords returns "2 seconds" for "2s", and "none" for "none".
func delayInWords(delay string) string {
	switch n, isTime := strings.CutSuffix(delay, "s"); {
	case !isTime:
		return delay
	case n == "1":
		return "1 second"
	default:
		return n + " seconds"
	}
}

// Check finds out whether a robots.txt has the meaning of the policy. A missing robots.txt allows everything.
func (f *File) Check(ctx context.Context, file *robotstxt.File, table *crawlers.Table, test Tester) (*Proof, error) {
	if reason := file.Agent().Otherwise().Reason; reason == robotstxt.Restricted || reason == robotstxt.Unreachable {
		return nil, fmt.Errorf("%w: %s", ErrNoRobots, reason)
	}
	w := newWriter(f)
	all, scope := crawlersOf(table, f, namesIn(file)...)
	if err := w.readContents(ctx, all, table); err != nil {
		return nil, err
	}
	w.nameCrawlers(all)
	p := prove(ctx, w.all, w.tokens(all), file, proved...)
	scope.without = w.without
	p.setScope(scope)
	p.Notes = w.notesOfProof()
	p.Differences = append(p.Differences, f.linesThatDiffer(file)...)
	if len(p.Differences) > 0 {
		p.Result = compare.Differs.String()
	}
	if _, err := f.test(file.Body(), test); err != nil {
		return p, fmt.Errorf("%s: %w", f.Name, err)
	}
	return p, nil
}

// namesIn leaves out purpose tokens without an operator, because these apply to all crawlers.
func namesIn(file *robotstxt.File) (names []string) {
	for g := range file.Groups() {
		for _, agent := range g.Agents {
			if t, isToken := usage.TokenNamed(agent.Name); !isToken || t.Operator != "" {
				names = append(names, agent.Name)
			}
		}
	}
	return names
}

// ErrNoRobots means that there is no robots.txt to read: a site has none, or it could not be fetched.
var ErrNoRobots = errors.New("the robots.txt is missing, or cannot be fetched")

func (f *File) linesThatDiffer(file *robotstxt.File) (all []PolicyDifference) {
	addMissing := func(what string, lines, others []string, inPolicy, inFile string) {
		for _, line := range lines {
			if !slices.Contains(others, line) {
				all = append(all, PolicyDifference{Crawlers: []string{compare.Everyone}, What: what, Witness: line, Policy: inPolicy, File: inFile, Dialects: []string{}})
			}
		}
	}
	compareLists := func(what string, policy, there []string) {
		addMissing(what, policy, there, listed, notListed)
		addMissing(what, there, policy, notListed, listed)
	}
	compareLists("sitemap", f.sitemaps, slices.Collect(file.SitemapURLs()))
	var records []string
	for line := range file.Lines() {
		if info, _, err := line.Record(); err == nil && info.BindsFile && line.Kind == robotstxt.KindOther {
			records = append(records, info.Name+": "+line.Value)
		}
	}
	compareLists("record", f.records, records)
	return all
}

func prove(ctx context.Context, contents []*content, tokens []tokenGroup, file *robotstxt.File, dialects ...*robotstxt.Dialect) *Proof {
	return (&prover{ctx: ctx, tokens: tokens}).prove(contents, file, dialects...)
}

func (p *prover) prove(contents []*content, file *robotstxt.File, dialects ...*robotstxt.Dialect) *Proof {
	proof := &Proof{Result: compare.Equal.String(), Dialects: []string{}}
	place := map[string]int{}
	for _, d := range dialects {
		if p.file = file; file.Dialect() != d {
			p.file = file.In(d)
		}
		p.work, p.saysUse = 0, len(p.tokens) > 0 || p.file.HasKey("content-usage", "content-signal")
		result := compare.Equal
		for _, c := range contents {
			outcome, differences := p.compare(c)
			if outcome != compare.Equal && result != compare.Differs {
				result = outcome
			}
			proof.addAll(differences, d, place)
		}
		switch {
		case result == compare.Equal:
			proof.Dialects = append(proof.Dialects, d.String())
		case proof.Result != compare.Differs.String():
			proof.Result = result.String()
		}
	}
	sets := map[string]string{}
	for _, c := range contents {
		for _, user := range c.users {
			sets[user.name()] = user.set
		}
	}
	for i := range proof.Differences {
		proof.Differences[i].sets = sets
	}
	return proof
}

// addAll joins differences that are equal except for the crawlers and dialects.
func (p *Proof) addAll(differences []PolicyDifference, dialect *robotstxt.Dialect, indexes map[string]int) {
	for _, d := range differences {
		key := fmt.Sprintf("%q", []string{d.What, d.Witness, d.Policy, d.File, fmt.Sprint(d.Unnamed)}) // without the field Because, which depends on the dialect
		at, again := indexes[key]
		if !again {
			at = len(p.Differences)
			indexes[key] = at
			p.Differences = append(p.Differences, d)
			p.Differences[at].Crawlers = nil
		}
		to := &p.Differences[at]
		if to.Because != d.Because {
			to.Because = ""
		}
		if !slices.Contains(to.Dialects, dialect.String()) {
			to.Dialects = append(to.Dialects, dialect.String())
		}
		for _, name := range d.Crawlers {
			if seen := key + "\x00" + name; indexes[seen] == 0 {
				indexes[seen] = 1
				to.Crawlers = append(to.Crawlers, name)
			}
		}
	}
}

type prover struct {
	ctx          context.Context
	tokens       []tokenGroup
	file         *robotstxt.File
	saysUse      bool // false if neither the file nor the policy has preferences about the use of content
	skipsRecords bool // of the records, only crawl delays and preferences are compared
	work         int
}

// MaxWitnesses is the maximum number of URLs that are shown for each group whose rules differ.
const MaxWitnesses = 5

const maxProof = 2 * compare.MaxWork

// reference returns a robots.txt with the rules that the policy gives to the crawlers in c.users, and with the groups of all
// other tokens.
func (p *prover) reference(c *content, tokens []tokenGroup) *robotstxt.File {
	d := p.file.Dialect()
	if !slices.Contains(proved, d) {
		d = robotstxt.RFC9309
	}
	var b strings.Builder
	isUser := map[string]bool{}
	for _, user := range c.users {
		fmt.Fprintf(&b, "User-agent: %s\n", user.name())
		isUser[user.token] = true
	}
	b.WriteString(c.exact)
	for _, t := range tokens {
		if !isUser[tokenOf(t.name)] {
			fmt.Fprintf(&b, "\nUser-agent: %s\n%s", t.name, t.lines)
		}
	}
	return robotstxt.ParseString(b.String(), d.WithLimit(b.Len()))
}

func (c *crawler) name() string {
	if c.token == "" {
		return compare.Everyone
	}
	return c.names[0]
}

func (c *crawler) policyIn(file *robotstxt.File) *robotstxt.Policy {
	return file.Agent(crawlernames.Agents(&c.rows[0], file.Dialect())...)
}

func (p *prover) compare(c *content) (outcome compare.Outcome, all []PolicyDifference) {
	if len(c.users) == 0 {
		return compare.Equal, nil
	}
	outcome = compare.Equal
	old := c.users[0].policyIn(p.reference(c, nil))
	results := map[string]*groupComparison{}
	var crawlers []compare.Crawler
	for _, user := range c.users {
		agents := crawlernames.Agents(&user.rows[0], p.file.Dialect())
		new := p.file.Agent(agents...)
		groups := fmt.Sprint(new.GroupsThatApply(), new.Otherwise().Reason)
		if results[groups] == nil {
			results[groups] = p.policies(c, old, new)
		}
		r := results[groups]
		if r.isUndecided {
			outcome = compare.Undecided
		}
		crawlers = append(crawlers, compare.Crawler{Tokens: agents, Old: old, New: new, Groups: groups})
		for _, d := range r.differences {
			d.Crawlers, d.Unnamed = []string{user.name()}, user.isByPurpose && !new.IsNamed()
			all = append(all, d)
		}
	}
	if len(c.wishes) > 0 || p.saysUse {
		preferences, undecided := p.comparePreferences(c, crawlers)
		if all = append(all, preferences...); undecided {
			outcome = compare.Undecided
		}
	}
	if len(all) > 0 {
		outcome = compare.Differs
	}
	return outcome, all
}

type groupComparison struct {
	differences []PolicyDifference
	isUndecided bool
}

// policies ignores /robots.txt, because some dialects always allow this path.
func (p *prover) policies(c *content, old, new *robotstxt.Policy) *groupComparison {
	if p.work > maxProof || p.ctx.Err() != nil {
		return &groupComparison{isUndecided: true}
	}
	result := compare.Policies(p.ctx, old, new)
	p.work += result.Work
	r := &groupComparison{isUndecided: result.Undecided > 0 || result.Outcome == compare.Undecided}
	changes := result.Changes
	if result.Restricted {
		changes = append(changes, queriesThatDiffer(old, new)...)
	}
	for _, change := range changes {
		if change.Witness != "/robots.txt" && len(r.differences) < MaxWitnesses {
			r.differences = append(r.differences, PolicyDifference{What: "verdict", Witness: change.Witness, Policy: verdict(change.Old), File: verdict(change.New), Because: change.New.Because()})
		}
	}
	if c.isClosed() {
		return r
	}
	if policy, file := delayOf(old), delayOf(new); policy != file {
		r.differences = append(r.differences, PolicyDifference{What: "crawl-delay", Policy: policy, File: file})
	}
	if policy, file := recordsOf(old), recordsOf(new); policy != file && !p.skipsRecords {
		r.differences = append(r.differences, PolicyDifference{What: "records", Policy: policy, File: file})
	}
	return r
}

// queriesThatDiffer finds changes that compare.Policies leaves out if the draft of 1996 ignores queries.
func queriesThatDiffer(old, new *robotstxt.Policy) (changes []compare.Change) {
	for pattern := range old.Patterns() {
		path := strings.Join(pattern.Segments, "")
		if !strings.HasPrefix(path, "/") || !strings.Contains(path, "?") {
			continue
		}
		if a, b := old.Check(path), new.Check(path); a.Allowed != b.Allowed {
			changes = append(changes, compare.Change{Witness: path, Old: a, New: b})
		}
	}
	return changes
}

func (p *prover) comparePreferences(c *content, crawlers []compare.Crawler) (all []PolicyDifference, undecided bool) {
	reference := p.reference(c, p.tokens)
	for i := range crawlers {
		crawlers[i].Old = c.users[i].policyIn(reference)
	}
	for i, r := range compare.Preferences(p.ctx, reference, p.file, crawlers) {
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

func recordsOf(p *robotstxt.Policy) string {
	var all []string
	for _, r := range p.Records() {
		switch r.(type) {
		case record.CrawlDelay, record.ContentUsage, record.ContentSignal:
		default:
			all = append(all, lineOf(r))
		}
	}
	slices.Sort(all)
	return cmp.Or(strings.Join(slices.Compact(all), "; "), "none")
}

func lineOf(r record.Value) string {
	hours := func(v record.VisitTime) string { return v.From.String() + "-" + v.To.String() }
	switch r := r.(type) {
	case record.RequestRate:
		text := fmt.Sprintf("Request-rate: %d/%d", r.Requests, r.Per/time.Second)
		if r.During != (record.VisitTime{}) {
			text += " " + hours(r.During)
		}
		return text
	case record.VisitTime:
		return "Visit-time: " + hours(r)
	case record.Noindex:
		return "Noindex: " + r.Pattern
	case record.Text:
		return strconv.Quote(r.Value)
	}
	return fmt.Sprint(r)
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
