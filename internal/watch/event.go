package watch

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/heed-robots/heed/internal/crawlernames"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/internal/report"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/usage"
)

// A Message is an event for Watch.Tell.
type Message struct {
	Head
	JSON    json.RawMessage
	Waiting bool // not sent yet
}

// Every event has the fields of Head.
type Head struct {
	ID       string        `json:"id"`   // an ID of the event: the same each time the event is sent
	Time     time.Time     `json:"time"` // when heed found the change
	Site     origin.Origin `json:"site"`
	What     []What        `json:"what"` // the kinds of change, in the order of All; never empty
	Severity Severity      `json:"severity"`
	Text     string        `json:"text"` // the event as a sentence, safe to print on a terminal
}

// An Event says what changed at a site, and for whom.
type Event struct {
	Head
	Old      *Version   `json:"old,omitempty"`      // the version before the change; absent for Unreachable and Reachable
	New      *Version   `json:"new,omitempty"`      // the version after the change; for Brief, the version that was there for a short time
	Since    *time.Time `json:"since,omitempty"`    // when heed first found the change; for Unreachable and Reachable, the time of the first failure
	Until    *time.Time `json:"until,omitempty"`    // for Brief: when heed found the old version again; for Reachable: when heed reached the site again
	Means    string     `json:"means,omitempty"`    // for Unreachable: what the failures mean for crawlers now, as in Version
	Why      string     `json:"why,omitempty"`      // for Unreachable: why the last retrieval failed, such as "status 503"
	Verdicts *Verdicts  `json:"verdicts,omitempty"` // present if What has "verdicts" or "brief"
	Managed  *Managed   `json:"managed,omitempty"`  // present if the old or the new file has a managed block

	Preferences *report.ComparedPreferences `json:"preferences,omitempty"` // present if What has "preferences"
}

// A What is a kind of change.
type What string

// All has every What, in the order of Head.What.
var All = []What{VerdictsChanged, PreferencesChanged, ManagedChanged, TooLong, NotTooLong, Brief, Unreachable, Reachable}

const (
	VerdictsChanged    What = "verdicts"     // a crawler may fetch other URLs than before, or heed could not exclude this
	PreferencesChanged What = "preferences"  // the site allows other uses of its content than before, or heed could not exclude this
	ManagedChanged     What = "managed"      // the lines changed that a service, such as a CDN, writes into the file
	TooLong            What = "too-long"     // the file is longer than 500 KiB now, and crawlers may ignore the rest
	NotTooLong         What = "not-too-long" // the file is not longer than 500 KiB any more
	Brief              What = "brief"        // a change was over within an hour
	Unreachable        What = "unreachable"  // the site has been unreachable for a day, or this now means something else for crawlers
	Reachable          What = "reachable"
)

// The zero Severity is Low.
type Severity uint8

const (
	Low    Severity = iota // for example Reachable
	Medium                 // some URLs have another verdict or another preference
	High                   // for example, a crawler may fetch nothing any more
)

var severities = []string{"low", "medium", "high"}

func (s Severity) String() string { return severities[s] }

func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

func (s *Severity) UnmarshalText(text []byte) error {
	i := slices.Index(severities, string(text))
	if i < 0 {
		return fmt.Errorf("severity %q: expected low, medium or high", printable.Text(string(text)))
	}
	*s = Severity(i)
	return nil
}

func (h *Head) Has(what What) bool { return slices.Contains(h.What, what) }

// Wants returns a function for Watch.Wants. If there are no kinds, all events are wanted. Reachable is wanted even if its
// severity is too low, because it says that Unreachable is over.
func Wants(kinds []string, severity string) (func(*Head) bool, error) {
	for _, word := range kinds {
		if !slices.Contains(All, What(word)) {
			return nil, fmt.Errorf("only: %s is not a kind of change; expected one of %s", printable.Quote(word), strings.Join(printable.Words(All), ", "))
		}
	}
	var least Severity
	if err := least.UnmarshalText([]byte(severity)); err != nil {
		return nil, err
	}
	return func(h *Head) bool {
		return (h.Severity >= least || h.Has(Reachable)) && (len(kinds) == 0 || slices.ContainsFunc(h.What, func(w What) bool { return slices.Contains(kinds, string(w)) }))
	}, nil
}

// Verdicts says which verdicts change.
type Verdicts struct {
	Result   string     `json:"result"`         // "differs", or "undecided" if heed found no difference but could not prove that there is none; for Brief also "equal"
	Crawlers []Affected `json:"crawlers"`       // the crawlers with changed verdicts; those with the most serious effect come first
	More     bool       `json:"more,omitempty"` // more crawlers or verdicts may change than are listed here
}

// Affected has crawlers whose verdicts change in the same way.
type Affected struct {
	Agents  []report.Agent  `json:"agents"` // the crawlers; "*" stands for all crawlers without a group in either file
	Effect  string          `json:"effect"` // the effect of the changes, as in report.Compared
	Changes []report.Change `json:"changes"`
}

// Managed is about managed blocks: lines that a service, such as a CDN, writes into a robots.txt.
type Managed struct {
	By      []string `json:"by"`                // the programs or companies that write the blocks, according to the first comment of each block
	Changes string   `json:"changes,omitempty"` // how many of the changed verdicts come from the blocks: "all", "some", "none" or "unknown"
}

// A hostile file may cause thousands of changes with long URLs, so events have limits.
const (
	maxAffected    = 20
	maxAgents      = 100
	maxChanges     = 4
	maxChangeBytes = 2 << 10
	maxPreferences = 10
	maxBlocks      = 10
	maxText        = 1 << 10
)

func verdictsOf(c *report.Comparison) *Verdicts {
	v := &Verdicts{Result: c.Result, Crawlers: []Affected{}, More: c.Incomplete}
	var sets [][]report.Compared
	places := map[string]int{}
	for _, each := range c.Crawlers {
		if each.Effect == "" {
			continue
		}
		key := each.Effect + string(report.AppendJSON(nil, each.Changes))
		place, known := places[key]
		if !known {
			place, places[key] = len(sets), len(sets)
			sets = append(sets, nil)
		}
		sets[place] = append(sets[place], each)
	}
	gravity := func(set []report.Compared) int {
		if set[0].Effect == report.Opened {
			return math.MaxInt // the text begins with the first set, which should be crawlers that may fetch less than before
		}
		return set[0].Gravity()
	}
	slices.SortStableFunc(sets, func(a, b []report.Compared) int { return cmp.Compare(gravity(a), gravity(b)) })
	opens := slices.IndexFunc(sets, func(set []report.Compared) bool { return opensURLs(set[0].Effect) })
	if opens >= maxAffected {
		sets[maxAffected-1] = sets[opens]
	}
	for i, set := range sets {
		if i == maxAffected {
			v.More = true
			break
		}
		v.add(set)
	}
	return v
}

func opensURLs(effect string) bool {
	return effect == report.Opened || effect == report.BlockedAndOpened
}

func (v *Verdicts) add(set []report.Compared) {
	a := Affected{Effect: set[0].Effect, Changes: []report.Change{}}
	for _, c := range set[:min(len(set), maxAgents)] {
		a.Agents = append(a.Agents, c.Agent)
	}
	for _, change := range withFirst(set[0].Changes, report.Change.Blocks) {
		if len(a.Changes) < maxChanges && len(report.AppendJSON(nil, change)) <= maxChangeBytes {
			a.Changes = append(a.Changes, change)
		}
	}
	v.More = v.More || set[0].More || len(a.Agents) < len(set) || len(a.Changes) < len(set[0].Changes)
	v.Crawlers = append(v.Crawlers, a)
}

func preferencesOf(p *report.ComparedPreferences) *report.ComparedPreferences {
	short := &report.ComparedPreferences{Result: p.Result, Changes: []report.ChangedPreference{}, More: p.More}
	forbids := func(c report.ChangedPreference) bool {
		return c.New != nil && c.New.Preference == usage.Disallowed.String()
	}
	for _, change := range withFirst(p.Changes, forbids) {
		if len(short.Changes) == maxPreferences || len(report.AppendJSON(nil, change)) > maxChangeBytes {
			short.More++
			continue
		}
		short.Changes = append(short.Changes, change)
	}
	return short
}

// withFirst moves the elements for which the function returns true to the start, because the sentence of an event is about
// the first element.
func withFirst[E any](all []E, is func(E) bool) []E {
	isNot := func(e E) bool { return !is(e) }
	return slices.Concat(slices.DeleteFunc(slices.Clone(all), isNot), slices.DeleteFunc(slices.Clone(all), is))
}

func managedOf(m *report.Managed) *Managed {
	if m == nil {
		return nil
	}
	short := &Managed{By: []string{}, Changes: m.Changes}
	for _, b := range m.Blocks {
		if by := printable.Short(b.By); len(short.By) < maxBlocks && !slices.Contains(short.By, by) {
			short.By = append(short.By, by)
		}
	}
	return short
}

func (e *Event) sentence() string {
	var parts []string
	for _, what := range e.What {
		parts = append(parts, e.inWords(what))
	}
	text := strings.Join(parts, ". ")
	if len(text) > maxText {
		text = strings.ToValidUTF8(text[:maxText], "") + "…"
	}
	return text
}

func (e *Event) inWords(what What) string {
	switch what {
	case VerdictsChanged:
		return e.causeSentence() + e.verdictsInWords()
	case PreferencesChanged:
		return preferencesInWords(e.Preferences)
	case ManagedChanged:
		return "The lines between the marks of " + printable.Some(e.Managed.By, ", ") + " changed"
	case TooLong:
		return "The file is longer than 500 KiB now: crawlers ignore the rest"
	case NotTooLong:
		return "The file is not longer than 500 KiB any more"
	case Brief:
		return fmt.Sprintf("The old answer is back. Another answer came for a short time, first seen at %s and gone at %s: %s. %s",
			clock(*e.Since), clock(*e.Until), e.New.inWords(), e.verdictsInWords())
	case Reachable:
		return "The site is reachable again. It was unreachable since " + clock(*e.Since)
	}
	text := fmt.Sprintf("The site has been unreachable since %s (%s): ", clock(*e.Since), e.Why)
	switch e.Means {
	case meansRules:
		return text + "after so long, crawlers may use their last copy of robots.txt"
	case meansAllowed:
		return text + "after so long, crawlers may fetch everything"
	}
	return text + "crawlers may fetch nothing"
}

func clock(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }

// causeSentence returns "" if only the text of robots.txt changed.
func (e *Event) causeSentence() string {
	switch {
	case e.Old.Means != e.New.Means, e.Old.Page != e.New.Page:
		return fmt.Sprintf("Before: %s; now: %s. ", e.Old.inWords(), e.New.inWords())
	case e.Old.URL != e.New.URL:
		return fmt.Sprintf("robots.txt comes from %s now. ", printable.Short(e.New.URL))
	}
	return ""
}

func (e *Event) verdictsInWords() string {
	v := e.Verdicts
	switch {
	case v.Result == "equal":
		return "No verdict changed"
	case len(v.Crawlers) == 0:
		return "It could not be decided whether verdicts changed"
	}
	a := v.Crawlers[0]
	words := effects
	if e.Has(Brief) {
		words = pastEffects
	}
	text := words[a.Effect] + " for " + agentsInWords(a.Agents)
	if len(a.Changes) > 0 {
		text += ". For example, " + e.example(a.Changes[0])
	}
	isMore := false
	for _, other := range v.Crawlers[1:] {
		isMore = isMore || !opensURLs(other.Effect)
	}
	// If URLs are allowed now, the text always says this, because "and more" sounds like more disallowed URLs.
	for _, effect := range []string{report.BlockedAndOpened, report.Opened} {
		var agents []report.Agent
		for _, other := range v.Crawlers[1:] {
			if other.Effect == effect {
				agents = append(agents, other.Agents...)
			}
		}
		if agents != nil {
			text += "; some" + strings.TrimPrefix(words[effect], "Some") + " for " + agentsInWords(agents)
		}
	}
	switch {
	case isMore:
		text += "; and more"
	case v.More:
		text += "; and perhaps more"
	}
	return text
}

func (e *Event) example(c report.Change) string {
	url := printable.Short(e.Site.String() + c.Witness)
	if e.Has(Brief) {
		return fmt.Sprintf("%s was %s, and is %s again", url, inWords(c.New), report.Verdict(c.Old.Allowed))
	}
	return fmt.Sprintf("%s was %s, and now is %s", url, inWords(c.Old), inWords(c.New))
}

var effects = map[string]string{
	report.ShutOut:          "Everything is disallowed now",
	report.Blocked:          "Some URLs are disallowed now",
	report.BlockedAndOpened: "Some URLs are disallowed now, and others allowed,",
	report.Opened:           "Some URLs are allowed now",
}

var pastEffects = map[string]string{
	report.ShutOut:          "Everything was disallowed then",
	report.Blocked:          "Some URLs were disallowed then",
	report.BlockedAndOpened: "Some URLs were disallowed then, and others allowed,",
	report.Opened:           "Some URLs were allowed then",
}

func inWords(d report.Decision) string {
	return fmt.Sprintf("%s (%s)", report.Verdict(d.Allowed), printable.Short(d.Because()))
}

func preferencesInWords(p *report.ComparedPreferences) string {
	if len(p.Changes) == 0 || p.Changes[0].Old == nil || p.Changes[0].New == nil {
		return "It could not be decided whether preferences about the use of content change"
	}
	c := p.Changes[0]
	text := fmt.Sprintf("%s was %s and is %s for %s", c.Purpose, c.Old.Preference, c.New.Preference, agentsInWords(c.Agents))
	if len(p.Changes) > 1 || p.More > 0 {
		text += "; and more preferences"
	}
	return text
}

func agentsInWords(agents []report.Agent) string {
	names := report.NamesOf(agents, func(agent report.Agent) string { return printable.Short(crawlernames.ShownInFile(nil, agent, nil)) })
	return printable.Some(names, ", ")
}
