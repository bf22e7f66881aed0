package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/heed-robots/heed/compare"
	"github.com/heed-robots/heed/crawlers"
	"github.com/heed-robots/heed/internal/ascii"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/robotstxt"
	"github.com/heed-robots/heed/robotstxt/record"
	"github.com/heed-robots/heed/usage"
)

// The lint rules in this file are about preferences: whether the content of a site may be used for some purpose.

func signalOutsideGroup(f *file, report func(Finding)) {
	for _, r := range f.records() {
		if isSignal(r) && r.Notes.Has(robotstxt.NoteOutsideGroup) {
			report(findingAt(r.Line, r.Key, fmt.Sprintf("no User-agent line is before this %s, so it is for no crawler", r.info.Name)))
		}
	}
}

func isSignal(r recordLine) bool {
	return r.info.Name == "Content-Signal" || r.info.Name == "Content-Usage"
}

func signalPath(r recordLine) string {
	_, path, _ := usage.Members(r.value)
	return path
}

func signalWithPath(f *file, report func(Finding)) {
	for _, r := range f.records() {
		if v, ok := r.value.(record.ContentSignal); ok && v.Path != "" {
			report(findingAt(r.Line, v.Path, fmt.Sprintf("Content-Signal has no paths: heed applies this line to %s only, and other readers may not read it at all", printable.Text(v.Path))))
		}
	}
}

var labels = usage.Labels()

// Both carriers have a label for each purpose.
func labelFor(carrier usage.Carrier, purpose usage.Purpose) usage.Label {
	return labels[slices.IndexFunc(labels, func(l usage.Label) bool { return l.Carrier == carrier && l.Purpose == purpose })]
}

// A wrongWord is a member of a Content-Usage line that uses words of Content-Signal, or the reverse.
type wrongWord struct {
	start   int    // the offset in bytes of the member in the value of the line
	written string // the member as it is in the file, such as "ai-train=no"
	meant   string // the member that the owner probably means, such as "train-ai=n"
}

func carriersOf(r recordLine) (carrier, other usage.Carrier, ok bool) {
	switch r.info.Name {
	case "Content-Usage":
		return usage.ContentUsage, usage.ContentSignal, true
	case "Content-Signal":
		return usage.ContentSignal, usage.ContentUsage, true
	}
	return "", "", false
}

// If isUnread is true, crawlers cannot read the line, and the returned words are the only reason.
func wrongWords(r recordLine) (wrong []wrongWord, isUnread bool) {
	own, other, ok := carriersOf(r)
	if !ok || r.Value == "" {
		return nil, false
	}
	start := 0
	if r.Value[0] == '/' {
		start = len(r.Value) - len(strings.TrimLeftFunc(r.Value, func(c rune) bool { return c != ' ' && c != '\t' }))
	}
	for member := range strings.SplitAfterSeq(r.Value[start:], ",") {
		text, _, _ := strings.Cut(strings.TrimSuffix(member, ","), ";") // cut off the parameters after ";", which crawlers ignore
		written := strings.Trim(text, " \t")
		if meant := correctedMember(own, other, written); meant != "" {
			wrong = append(wrong, wrongWord{start + strings.Index(member, written), written, meant})
		}
		start += len(member)
	}
	return wrong, len(wrong) > 0 && !isReadable(r) && isReadable(readRecord(withRightWords(r, wrong)))
}

// In Content-Usage, "ai-train=no" probably means "train-ai=n". If the member is correct or unknown, the result is "".
func correctedMember(own, other usage.Carrier, member string) string {
	key, value, _ := strings.Cut(member, "=")
	key, value = strings.TrimRight(key, " \t"), strings.TrimLeft(value, " \t")
	if own == usage.ContentSignal {
		key = ascii.ToLower(key) // in Content-Signal, capital letters in a key do not matter; in Content-Usage, they do
	}
	for _, purpose := range usage.Purposes() {
		ours, theirs := labelFor(own, purpose), labelFor(other, purpose)
		if !ascii.EqualFold(key, ours.Word) && !ascii.EqualFold(key, theirs.Word) || value == "" {
			continue
		}
		meant := ours.Word + "=" + value
		switch {
		case ascii.EqualFold(value, theirs.Allows):
			meant = ours.Word + "=" + ours.Allows
		case ascii.EqualFold(value, theirs.Denies):
			meant = ours.Word + "=" + ours.Denies
		}
		if meant != key+"="+value {
			return meant
		}
	}
	return ""
}

func isReadable(r recordLine) bool {
	v, _ := r.value.(record.ContentUsage)
	return r.err == nil && v.Err == nil && len(record.Unread(r.value)) == 0
}

func withRightWords(r recordLine, wrong []wrongWord) robotstxt.Line {
	line := r.Line
	for _, w := range slices.Backward(wrong) {
		line.Value = line.Value[:w.start] + w.meant + line.Value[w.start+len(w.written):]
	}
	return line
}

func isWrongWord(member string, wrong []wrongWord) bool {
	return slices.ContainsFunc(wrong, func(w wrongWord) bool { return w.written == member })
}

func wrongVocabulary(f *file, report func(Finding)) {
	for _, r := range f.records() {
		wrong, fixes := wrongWords(r)
		if len(wrong) == 0 {
			continue
		}
		var meant []string
		var edits []Edit
		value := indexIn(r.Line, r.Value)
		for _, w := range wrong {
			meant = append(meant, w.meant)
			edits = append(edits, replacePart(r.Line, value+w.start, len(w.written), w.meant))
		}
		found := findingAt(r.Line, wrong[0].written, "")
		_, other, _ := carriersOf(r)
		why := wrong[0].why(map[usage.Carrier]string{usage.ContentUsage: "Content-Usage", usage.ContentSignal: "Content-Signal"}[other])
		says := "it says nothing here"
		if v, ok := r.value.(record.ContentUsage); ok && v.Err != nil && fixes {
			says = "the whole line says nothing"
		}
		words := printable.Quote(strings.Join(meant, ", "))
		found.Message = fmt.Sprintf("%s %s, so %s; probably it means %s", printable.Quote(wrong[0].written), why, says, words)
		found.Fix = &Fix{Title: "write " + words, Edits: edits} // not marked as safe: with the new words, the line says something new
		report(found)
	}
}

// The parameter other is the name of the other carrier, from which the key, the value or both come.
func (w *wrongWord) why(other string) string {
	key, value, _ := strings.Cut(w.written, "=")
	meantKey, meantValue, _ := strings.Cut(w.meant, "=")
	key, value = strings.TrimRight(key, " \t"), strings.TrimLeft(value, " \t")
	switch {
	case ascii.EqualFold(key, meantKey) && ascii.EqualFold(value, meantValue):
		return "has capital letters"
	case ascii.EqualFold(key, meantKey):
		return fmt.Sprintf("has the value %s of %s", printable.Quote(value), other)
	case ascii.EqualFold(value, meantValue):
		return fmt.Sprintf("has the key %s of %s", printable.Quote(key), other)
	}
	return "is in the words of " + other
}

func isPurposeToken(name string) bool {
	_, ok := usage.TokenNamed(name)
	return ok
}

func splitAgents(g robotstxt.Group) (crawlers, tokens []robotstxt.Agent) {
	seen := map[string]bool{}
	for _, agent := range g.Agents {
		name := ascii.ToLower(agent.Name)
		switch {
		case name == "" || seen[name]:
		case isPurposeToken(name):
			tokens = append(tokens, agent)
		default:
			crawlers = append(crawlers, agent)
		}
		seen[name] = true
	}
	return crawlers, tokens
}

func purposeTokens(f *file, report func(Finding)) {
	seen := map[string]bool{}
	for _, g := range f.groups {
		_, tokens := splitAgents(g)
		for _, agent := range tokens {
			name := ascii.ToLower(agent.Name)
			if seen[name] {
				continue
			}
			seen[name] = true
			t, _ := usage.TokenNamed(name)
			whose := "for every crawler"
			if t.Operator != "" {
				whose = "for the crawlers of " + t.Operator
			}
			line := f.line(agent.Line)
			report(findingAt(line, line.Value, fmt.Sprintf("%s is a purpose token, and no crawler: the rules of its group say where %s is allowed, %s, and no crawler follows them because of this line", printable.Text(agent.Name), t.Purpose, whose)))
		}
	}
}

// A rule for the whole site is probably meant for both the crawlers and the purpose tokens. So a group with only such rules
// is not reported.
func purposeTokenMixed(f *file, report func(Finding)) {
	for _, g := range f.groups {
		others, tokens := splitAgents(g)
		if len(others) == 0 || len(tokens) == 0 || !slices.ContainsFunc(g.Rules, func(r robotstxt.Rule) bool { return !isForSite(r) }) {
			continue
		}
		line := f.line(tokens[0].Line)
		report(findingAt(line, line.Value, fmt.Sprintf("the group names a crawler (%s) and a purpose token (%s): each of its rules says both what may be crawled and what may train AI",
			crawlerName(others[0]), printable.Text(tokens[0].Name))))
	}
}

func crawlerDisobeys(f *file, report func(Finding)) {
	for _, g := range f.groups {
		if !slices.ContainsFunc(g.Rules, func(r robotstxt.Rule) bool { return !allows(r) }) {
			continue // the group disallows nothing
		}
		named, _ := splitAgents(g)
		var tokens []string
		first := 0
		for _, agent := range named {
			c, _ := crawlers.Known().Lookup(agent.Name)
			if c.Obeys != crawlers.No || slices.Contains(tokens, c.Token) {
				continue
			}
			if tokens = append(tokens, c.Token); first == 0 {
				first = agent.Line
			}
		}
		if len(tokens) > 0 {
			line := f.line(first)
			report(findingAt(line, line.Value, fmt.Sprintf("sources say that %s robots.txt, or not always, whatever this group says", listText(tokens, "does not follow", "do not follow"))).withCrawlers(tokens))
		}
	}
}

type pairOfLines struct{ above, below int }

func usageContradicts(f *file, report func(Finding)) {
	paths, carriers := f.statedPaths()
	if len(carriers) < 2 {
		return
	}
	found, order, explained := map[pairOfLines]*Finding{}, []pairOfLines{}, 0
	uses := usage.Read(f.parsed)
	for _, who := range f.crawlerSets(uses) {
		crawl := f.parsed.Agent(who.agents...)
		var each []*usage.Policy
		for _, carrier := range carriers {
			each = append(each, uses.For(usage.Options{Profile: &usage.Profile{Carriers: []usage.Carrier{carrier}}}, who.agents...))
		}
		for _, path := range paths {
			if !compare.Check(crawl, path).Allowed {
				continue // a disallowed page has no preference (AI-3)
			}
			purpose, contradicts := contradictedPurpose(each, path)
			if !contradicts || explained == maxExplained {
				continue
			}
			explained++
			pair, message := oppositeLines(each, path, purpose)
			switch known := found[pair]; {
			case known == nil:
				line := f.line(pair.below)
				finding := findingAt(line, line.Value, message).withCrawlers(who.names)
				found[pair] = &finding
				order = append(order, pair)
			case known.Crawlers != nil && who.names == nil:
				known.Crawlers = nil
			case known.Crawlers != nil:
				known.Crawlers = append(known.Crawlers, slices.DeleteFunc(slices.Clone(who.names), func(name string) bool { return slices.Contains(known.Crawlers, name) })...)
			}
		}
	}
	for _, pair := range order {
		report(*found[pair])
	}
}

func contradictedPurpose(each []*usage.Policy, path string) (usage.Purpose, bool) {
	var allowed, disallowed [len(usage.Answer{})]bool
	for _, policy := range each {
		for purpose, preference := range policy.Check(urlWithPath(path), true, nil) {
			allowed[purpose] = allowed[purpose] || preference == usage.Allowed
			disallowed[purpose] = disallowed[purpose] || preference == usage.Disallowed
		}
	}
	for _, purpose := range usage.Purposes() {
		if allowed[purpose] && disallowed[purpose] {
			return purpose, true
		}
	}
	return 0, false
}

func oppositeLines(each []*usage.Policy, path string, purpose usage.Purpose) (pair pairOfLines, message string) {
	var allow, deny *usage.Statement
	for _, policy := range each {
		v := policy.Explain(urlWithPath(path), true, nil, purpose)[0]
		switch {
		case v.Preference == usage.Allowed && allow == nil:
			allow = &v.By[0]
		case v.Preference == usage.Disallowed && deny == nil:
			deny = &v.By[0]
		}
	}
	first, does := allow, "allows"
	if deny.Line < allow.Line {
		first, does = deny, "disallows"
	}
	return pairOfLines{min(allow.Line, deny.Line), max(allow.Line, deny.Line)},
		fmt.Sprintf("says the opposite of line %d, which %s %s for %s (%s)", first.Line, does, purpose, printable.Text(path), printable.Short(first.Text))
}

// A path alone may begin with "//", and would then be read as a host.
func urlWithPath(path string) string { return "http://www.example.com" + path }

const (
	maxExplained   = 40
	maxStatedPaths = 50
	maxPreferring  = 20
)

// The result paths has "/", and a matching path for each pattern in the preferences.
func (f *file) statedPaths() (paths []string, carriers []usage.Carrier) {
	paths = []string{"/"}
	add := func(carrier usage.Carrier, pattern string) {
		if !slices.Contains(carriers, carrier) {
			carriers = append(carriers, carrier)
		}
		if path := matchingPath(strings.TrimSuffix(pattern, "$")); pattern != "" && len(paths) < maxStatedPaths && !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	for _, r := range f.records() {
		if own, _, ok := carriersOf(r); ok && r.Group > 0 {
			add(own, signalPath(r))
		}
	}
	for _, g := range f.groups {
		if _, tokens := splitAgents(g); len(tokens) > 0 {
			for _, rule := range g.Rules {
				add(usage.PurposeToken, rule.Pattern)
			}
		}
	}
	return paths, carriers
}

// A crawlerSet has crawlers to which the same statements about the use of content apply.
type crawlerSet struct {
	agents []string // the product tokens of one of these crawlers, as arguments for robotstxt.File.Agent
	names  []string // the names of all these crawlers; empty: the crawlers without a group
}

// If the file names a purpose token of an operator, the crawlers of this operator are a set of their own.
func (f *file) crawlerSets(uses *usage.Robots) (all []crawlerSet) {
	operators := uses.Operators()
	for _, p := range f.policies() {
		if p.isPreference() {
			continue
		}
		if p.everyone() {
			all = append(all, crawlerSet{})
			for _, operator := range operators {
				all = append(all, f.unnamedCrawlers(operator)...)
			}
		}
		byOperator := map[string]int{}
		for _, name := range p.crawlers() {
			c, _ := crawlers.Known().Lookup(name)
			operator := c.Operator
			if !slices.Contains(operators, operator) {
				operator = ""
			}
			i, again := byOperator[operator]
			if !again {
				i = len(all)
				byOperator[operator] = i
				all = append(all, crawlerSet{agents: []string{name}})
			}
			all[i].names = append(all[i].names, name)
		}
		if len(all) > maxPreferring {
			return all[:maxPreferring]
		}
	}
	return all
}

func (f *file) unnamedCrawlers(operator string) []crawlerSet {
	var of crawlerSet
	for _, c := range crawlersOf(operator) {
		if c.ObeysWildcard == crawlers.No || f.parsed.Agent(c.Agents()...).IsNamed() {
			continue
		}
		if of.names = append(of.names, c.Token); of.agents == nil {
			of.agents = c.Agents()
		}
	}
	if of.names == nil {
		return nil
	}
	return []crawlerSet{of}
}

// A preference about pages that no crawler of the group may fetch has no effect (AI-3).
func usageNotCrawlable(f *file, report func(Finding)) {
	for _, r := range f.records() {
		if !isSignal(r) || r.Group == 0 || r.err != nil {
			continue
		}
		policies := slices.DeleteFunc(slices.Clone(f.policiesOf(r.Group)), (*policy).isPreference)
		path := signalPath(r)
		if len(policies) == 0 || !f.allDisallow(policies, path) || f.grantsNothing(r) {
			continue
		}
		what, part := "every page", r.Value
		if path != "" {
			what, part = printable.Text(path), path
		}
		report(findingAt(r.Line, part, fmt.Sprintf("the rules of the group disallow %s, and a page that may not be crawled has no preference: so this says nothing", what)))
	}
	f.tokensNotCrawlable(report)
}

// grantsNothing is true if the lint rule "signal-contradicts" reports the line r.
func (f *file) grantsNothing(r recordLine) bool {
	for _, c := range claims(r) {
		for _, agent := range f.groups[r.Group-1].Agents {
			if _, ok := f.shutsOut(agent, c); ok {
				return true
			}
		}
	}
	return false
}

// The pattern "" means all URLs. Without a proof, the result is false.
func (f *file) allDisallow(policies []*policy, pattern string) bool {
	return !slices.ContainsFunc(policies, func(p *policy) bool {
		if pattern == "" {
			return !f.blocksAll(p.Policy)
		}
		if compare.Check(p.Policy, matchingPath(strings.TrimSuffix(pattern, "$"))).Allowed {
			return true // the usual case, which needs no search
		}
		outcome, _, work := compare.BlocksWithin(maxWork-f.usedWork, p.Policy, pattern)
		f.usedWork += work
		return outcome != compare.Equal
	})
}

const maxBlocking = 20

func (f *file) tokensNotCrawlable(report func(Finding)) {
	crawling := slices.DeleteFunc(slices.Clone(f.policies()), (*policy).isPreference)
	if len(crawling) > maxBlocking {
		return
	}
	for _, g := range f.groups {
		others, tokens := splitAgents(g)
		if len(tokens) == 0 || len(others) > 0 {
			continue // the group also names a crawler, and its rules say what this crawler may fetch
		}
		for _, rule := range g.Rules {
			if rule.Pattern == "" || !f.allDisallow(crawling, rule.Pattern) {
				continue
			}
			line := f.line(rule.Line)
			found := findingAt(line, line.Value, fmt.Sprintf("the groups of the crawlers disallow %s, and a page that may not be crawled has no preference: so this rule of %s says nothing",
				printable.Text(rule.Pattern), printable.Text(tokens[0].Name)))
			found.reason = fmt.Sprint(g.Agents[0].Line) // all findings about one group become one finding
			report(found)
		}
	}
}

// A claim is what a line says about one purpose.
type claim struct {
	line    recordLine
	carrier usage.Carrier
	purpose usage.Purpose
	path    string // the pattern of the paths to which the claim applies; "" means every path
	grants  bool
	text    string // the part of the line with the claim, such as "train-ai=n"
}

var crawlersFor = map[usage.Purpose][]crawlers.Purpose{
	usage.Search:  {crawlers.Search},
	usage.AIUse:   {crawlers.AISearch, crawlers.AIUser},
	usage.TrainAI: {crawlers.AITraining},
}

func claims(r recordLine) (all []claim) {
	carrier, path, _ := usage.Members(r.value)
	if path == "/" {
		path = ""
	}
	for _, m := range knownIn(r.value) {
		all = append(all, claim{r, carrier, m.Purpose, path, m.Preference == usage.Allowed, m.String()})
	}
	return all
}

// Two claims can contradict each other only if they have the same subject.
type subject struct {
	crawler string
	carrier usage.Carrier
	purpose usage.Purpose
	path    string
}

func signalContradicts(f *file, report func(Finding)) {
	earlier := map[subject]claim{}
	for _, r := range f.records() {
		if !isSignal(r) || r.Group == 0 {
			continue
		}
		reported := false
		for _, c := range claims(r) {
			if found, ok := f.contradiction(c, earlier); ok && !reported {
				report(found)
				reported = true
			}
		}
	}
}

func (f *file) contradiction(c claim, earlier map[subject]claim) (found Finding, ok bool) {
	everyone := false
	for _, agent := range f.groups[c.line.Group-1].Agents {
		message := f.objection(agent, c, earlier)
		switch {
		case message == "":
			continue
		case !ok:
			found, ok = findingAt(c.line.Line, c.line.firstIn(c.text, c.line.Value), message), true
		case message != found.Message:
			continue
		}
		everyone = everyone || agent.Everyone
		if !slices.ContainsFunc(found.Crawlers, func(name string) bool { return ascii.EqualFold(name, agent.Name) }) {
			found.Crawlers = append(found.Crawlers, agent.Name)
		}
	}
	if everyone {
		found.Crawlers = nil
	}
	return found, ok
}

// objection returns what is wrong with the claim c, or "". If the map of earlier claims has no claim with the same subject,
// objection adds c to this map.
func (f *file) objection(agent robotstxt.Agent, c claim, earlier map[subject]claim) string {
	if agent.Name == "" || isPurposeToken(agent.Name) {
		return "" // the line names no crawler
	}
	key := subject{ascii.ToLower(agent.Name), c.carrier, c.purpose, c.path}
	first, again := earlier[key]
	if !again {
		earlier[key] = c
	} else if first.grants != c.grants {
		return fmt.Sprintf("%s contradicts %s in line %d", printable.Text(c.text), printable.Text(first.text), first.line.Number)
	}
	if rule, ok := f.shutsOut(agent, c); ok {
		return fmt.Sprintf("%s grants a use, but the crawlers for it may fetch no page (%v)", printable.Text(c.text), rule)
	}
	return ""
}

// shutsOut returns a rule that disallows all pages for the crawlers that fetch pages for the granted use.
func (f *file) shutsOut(agent robotstxt.Agent, c claim) (robotstxt.Rule, bool) {
	if !c.grants || c.path != "" {
		return robotstxt.Rule{}, false
	}
	known, _ := crawlers.Known().Lookup(agent.Name)
	isForIt := func(p crawlers.Purpose) bool { return slices.Contains(crawlersFor[c.purpose], p) }
	if !agent.Everyone && !slices.ContainsFunc(known.Purposes, isForIt) {
		return robotstxt.Rule{}, false
	}
	policy := f.parsed.Agent(agent.Name)
	return policy.Check("/").Rule, f.blocksAll(policy)
}

// Below its path, a Content-Usage line takes the place of a line for the whole site (AI-5).
func usagePathDrops(f *file, report func(Finding)) {
	type stated struct {
		line int
		text string
	}
	forSite := map[int]map[string]stated{} // what a group says about the whole site; the keys are the number of the group, and a word such as "train-ai"
	for _, r := range f.records() {
		if v, ok := r.value.(record.ContentUsage); ok && r.Group > 0 && (v.Path == "" || v.Path == "/") {
			for _, m := range knownIn(v) {
				if forSite[r.Group] == nil {
					forSite[r.Group] = map[string]stated{}
				}
				forSite[r.Group][m.Word] = stated{r.Number, m.String()}
			}
		}
	}
	for _, r := range f.records() {
		v, ok := r.value.(record.ContentUsage)
		if !ok || v.Path == "" || v.Path == "/" || len(knownIn(v)) == 0 {
			continue
		}
		for _, label := range labels {
			site, isStated := forSite[r.Group][label.Word]
			own := func(p record.Preference) bool { return p.Name == label.Word }
			if label.Carrier == usage.ContentUsage && isStated && !slices.ContainsFunc(v.Preferences, own) {
				report(findingAt(r.Line, v.Path, fmt.Sprintf("below %s this line takes the place of line %d whole: %s does not apply there", printable.Text(v.Path), site.line, site.text)))
			}
		}
	}
}

func knownIn(value record.Value) []usage.Member {
	_, _, members := usage.Members(value)
	return slices.DeleteFunc(members, func(m usage.Member) bool { return m.Preference == usage.Unknown })
}

// Crawlers with their own group do not follow the preferences of the "*" group (AI-6).
func groupDropsPreferences(f *file, report func(Finding)) {
	stating := map[int]int{} // the first line with preferences of each group; the key is the index of the group in f.groups
	for _, r := range f.records() {
		if _, known := stating[r.Group-1]; isSignal(r) && r.Group > 0 && r.err == nil && !known {
			stating[r.Group-1] = r.Number
		}
	}
	everyone := f.policies()[0].GroupsThatApply()
	first := slices.IndexFunc(everyone, func(g int) bool { return stating[g] > 0 })
	if first < 0 {
		return
	}
	for _, p := range f.policies()[1:] {
		groups, names := p.GroupsThatApply(), p.crawlers()
		if len(names) == 0 || slices.ContainsFunc(groups, func(g int) bool { return stating[g] > 0 }) || slices.Equal(groups, everyone) || f.blocksAll(p.Policy) {
			continue
		}
		line := f.firstLineNaming(p)
		report(findingAt(line, line.Value, fmt.Sprintf("%s no preferences about the use of content: those from line %d on are for crawlers without a group", listText(names, "has", "have"), stating[everyone[first]])).withCrawlers(names))
	}
}

// The owner may mean these preferences for all crawlers, but they apply only to one group (AI-6).
func preferencesOfOneGroup(f *file, report func(Finding)) {
	var first *recordLine
	for _, r := range f.records() {
		switch {
		case !isSignal(r) || r.err != nil:
		case r.Group == 0 || slices.ContainsFunc(f.groups[r.Group-1].Agents, func(a robotstxt.Agent) bool { return a.Name == "*" || isPurposeToken(a.Name) }):
			return
		case first == nil:
			first = &r
		}
	}
	if first == nil {
		return
	}
	names := namesOf(f.groups[first.Group-1].Agents)
	report(findingAt(first.Line, first.Value, "applies to "+printable.Some(names, ", ")+" only, as the rules of its group do; nothing states preferences to other crawlers").withCrawlers(names))
}
