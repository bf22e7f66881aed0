package usage

import (
	"fmt"
	"slices"
	"strings"

	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/internal/spelling"
)

// A Purpose says what content is used for (AI-2).
type Purpose uint8

const (
	TrainAI Purpose = iota // to train a model that generates content: its parameters are changed
	Search                 // to find pages and lead people to them by links with excerpts, but without summaries
	AIUse                  // to give the content to a model, for example for an answer or a summary; experimental
)

const purposeCount = 3

var purposeNames = [purposeCount]string{"train-ai", "search", "ai-use"}

// Purposes returns all purposes, in the order of Answer.String.
func Purposes() []Purpose { return []Purpose{TrainAI, Search, AIUse} }

// PurposeNamed returns the purpose with the given name, such as "train-ai".
func PurposeNamed(name string) (Purpose, error) {
	if p := slices.Index(purposeNames[:], name); p >= 0 {
		return Purpose(p), nil
	}
	meant := spelling.Closest(name, purposeNames[:])
	for i := range labels {
		if labels[i].Word == name {
			meant = labels[i].Purpose.String()
		}
	}
	if meant != "" {
		meant = ": did you mean " + meant + "?"
	}
	return 0, fmt.Errorf("unknown purpose %s; expected train-ai, search or ai-use%s", printable.Quote(name), meant)
}

// ParsePurposes reads a list such as "train-ai,search". It returns each purpose once, in the order of Purposes. It returns
// an error if a name in the list is empty or unknown.
func ParsePurposes(names string) (purposes []Purpose, err error) {
	for name := range strings.SplitSeq(names, ",") {
		p, err := PurposeNamed(strings.TrimSpace(name))
		if err != nil {
			return nil, err
		}
		if !slices.Contains(purposes, p) {
			purposes = append(purposes, p)
		}
	}
	slices.Sort(purposes)
	return purposes, nil
}

// String returns the name, such as "train-ai".
func (p Purpose) String() string { return purposeNames[p] }

// A Preference says what a site allows for one purpose (AI-1). The zero Preference is Unknown.
type Preference uint8

const (
	Unknown Preference = iota
	Allowed
	Disallowed
	NotCrawlable // robots.txt disallows the page, so it has no preference (AI-3)
)

var preferenceNames = [...]string{"unknown", "allowed", "disallowed", "not-crawlable"}

// Preferences returns all preferences.
func Preferences() []Preference { return []Preference{Unknown, Allowed, Disallowed, NotCrawlable} }

// String returns "unknown", "allowed", "disallowed" or "not-crawlable".
func (p Preference) String() string { return preferenceNames[p] }

// Short returns "y" for Allowed and "n" for Disallowed. For other preferences, it returns what String returns.
func (p Preference) Short() string {
	switch p {
	case Allowed:
		return "y"
	case Disallowed:
		return "n"
	}
	return p.String()
}

// MarshalText returns what String returns.
func (p Preference) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// combine returns disallowed if a or b disallows. If none disallows, it returns allowed if one allows. In all other
// cases, it returns unknown (AI-4).
func combine(a, b Preference) Preference { return max(a, b) }

// An Answer has the preference for each Purpose.
type Answer [purposeCount]Preference

// NoAnswer is the answer about a page that robots.txt disallows (AI-3).
var NoAnswer = Answer{NotCrawlable, NotCrawlable, NotCrawlable}

func (a *Answer) combine(other Answer) {
	for p := range a {
		a[p] = combine(a[p], other[p])
	}
}

// Text returns the answer about the given purposes, such as "train-ai=n, search=y". Unknown preferences are left out
// (AI-16). A disallowed page gives "not-crawlable".
func (a Answer) Text(purposes ...Purpose) string {
	var asked [purposeCount]bool
	for _, p := range purposes {
		asked[p] = true
	}
	var text strings.Builder
	for p, preference := range a {
		switch {
		case !asked[p] || preference == Unknown:
			continue
		case preference == NotCrawlable:
			return NotCrawlable.String()
		}
		if text.Len() > 0 {
			text.WriteString(", ")
		}
		text.WriteString(purposeNames[p])
		text.WriteString("=" + preference.Short())
	}
	return text.String()
}

// ParsePreferences reads a text in the form of Answer.Text, such as "train-ai=n,search=y". Whole words are possible
// too, as in "search=unknown".
func ParsePreferences(text string) (all []Verdict, err error) {
	for part := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		verdict, err := ParsePreference(name, value)
		if err != nil {
			return nil, err
		}
		all = append(all, verdict)
	}
	slices.SortStableFunc(all, func(a, b Verdict) int { return int(a.Purpose) - int(b.Purpose) })
	return all, nil
}

// ParsePreference reads the name of a purpose, and a preference in the form of Preference.String or Short.
func ParsePreference(name, value string) (Verdict, error) {
	purpose, err := PurposeNamed(name)
	if err != nil {
		return Verdict{}, err
	}
	for _, p := range Preferences() {
		if value == p.String() || value == p.Short() {
			return Verdict{Purpose: purpose, Preference: p}, nil
		}
	}
	return Verdict{}, fmt.Errorf("%s: %q is not a preference; expected y, n, or one of %v", name, value, Preferences())
}

// String returns what Text returns for all purposes.
func (a Answer) String() string { return a.Text(Purposes()...) }
