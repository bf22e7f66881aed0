package usage

import (
	"errors"
	"slices"
	"strings"

	"github.com/heed-robots/heed/internal/ascii"
	"github.com/heed-robots/heed/robotstxt"
	"github.com/heed-robots/heed/robotstxt/record"
)

func carrierOf(key string) (Carrier, bool) {
	for _, c := range [...]Carrier{ContentUsage, ContentSignal, License} {
		if ascii.EqualFold(key, string(c)) {
			return c, true
		}
	}
	return "", false
}

// A lines value contains what a robots.txt says to all crawlers to which the same groups apply. It never changes.
type lines struct {
	groups []int // the numbers of the groups that apply, counted from 0
	// in file order: all statements that apply to the crawlers, and up to maxIgnored others
	statements []statement
	more       int // how many of the other statements were left out
	usage      byPath
	signals    byPath
}

var noLines = &lines{usage: byPath{longest: true}}

func readLines(robots *robotstxt.File, groups []int) *lines {
	l := &lines{groups: groups}
	others := 0
	for line := range robots.Lines() {
		if line.Kind != robotstxt.KindOther || line.Notes.Has(robotstxt.NotePastLimit) {
			continue
		}
		carrier, ok := carrierOf(line.Key)
		if !ok {
			continue
		}
		counts := slices.Contains(groups, line.Group-1) && carrier != License
		if !counts {
			if others++; others > maxIgnored {
				l.more++
				continue
			}
		}
		s := readLine(carrier, line)
		switch {
		case s.whyNoEffect != "" || counts:
		case line.Group == 0:
			s.whyNoEffect = "no User-agent line is before it, so it is for no crawler"
		default:
			s.whyNoEffect = "its group is for other crawlers"
		}
		l.statements = append(l.statements, s)
	}
	l.usage = l.pathsOf(ContentUsage, true)
	l.signals = l.pathsOf(ContentSignal, false)
	return l
}

func (l *lines) size() (size int) {
	const linesSize, statementSize, wordSize = 150, 200, 32
	size = linesSize + 8*len(l.groups)
	for i := range l.statements {
		s := &l.statements[i]
		size += statementSize + len(s.Text) + len(s.path) + len(s.problem) + wordSize*len(s.unknown)
	}
	for _, b := range []*byPath{&l.usage, &l.signals} {
		for _, w := range b.byPurpose {
			if w.policy != nil {
				size += w.policy.SizeWithFile() + len(w.preferences)
			}
		}
	}
	return size
}

func (p *Profile) whyNot() string { return "the profile " + p.Name + " does not count it" }

func readLine(carrier Carrier, line robotstxt.Line) statement {
	s := statement{Statement: Statement{Carrier: carrier, Line: line.Number, Text: shortened(line.Key + ": " + line.Value)}}
	_, value, err := line.Record()
	if err != nil {
		s.problem = "it cannot be read: " + errors.Unwrap(err).Error() // the inner error does not repeat the value
	}
	switch v := value.(type) {
	case record.ContentUsage:
		s.path = strings.Clone(v.Path) // a copy: a part of the file would keep the whole file in memory
		s.readDictionary(v)
	case record.ContentSignal:
		if s.path = strings.Clone(v.Path); s.path != "" {
			s.Note = "Cloudflare's document has no paths, so its readers may not read this line"
		}
		s.readSignals(v)
	case record.License:
		s.whyNoEffect = "licence terms decide nothing: Heed does not fetch them"
	}
	return s
}

// A Member is a part of a Content-Usage or Content-Signal line, such as "train-ai=n".
type Member struct {
	Word, Value string
	Purpose     Purpose
	Preference  Preference // Unknown, and then Purpose means nothing, if the word or the value is unknown
}

func (m Member) String() string { return m.Word + "=" + m.Value }

// Members returns the members of a Content-Usage or Content-Signal record that can be read, and its path; "" means all paths.
// For other records, the carrier is "".
func Members(value record.Value) (carrier Carrier, path string, members []Member) {
	switch v := value.(type) {
	case record.ContentUsage:
		for _, p := range v.Preferences {
			members = append(members, memberOf(ContentUsage, p.Name, p.Value))
		}
		return ContentUsage, v.Path, members
	case record.ContentSignal:
		for _, s := range v.Signals {
			members = append(members, memberOf(ContentSignal, s.Name, s.Value))
		}
		return ContentSignal, v.Path, members
	}
	return "", "", nil
}

func memberOf(carrier Carrier, word, value string) Member {
	m := Member{Word: word, Value: value}
	var a Answer
	a.addWord(carrier, word, value)
	for purpose, preference := range a {
		if preference != Unknown {
			m.Purpose, m.Preference = Purpose(purpose), preference
		}
	}
	return m
}

// readDictionary reads a Content-Usage (AI-7).
func (s *statement) readDictionary(v record.ContentUsage) {
	if v.Err != nil {
		s.problem = "it cannot be read, so all of it is unknown: " + v.Err.Error()
		return
	}
	s.readMembers(v)
}

// readSignals reads a Content-Signal (AI-11).
func (s *statement) readSignals(v record.ContentSignal) {
	s.readMembers(v)
	for _, member := range v.Unread {
		word, _, _ := strings.Cut(member, "=")
		s.addUnknown(ascii.ToLower(strings.Trim(word, " \t")), member)
	}
}

func (s *statement) readMembers(value record.Value) {
	_, _, members := Members(value)
	for _, m := range members {
		if m.Preference == Unknown {
			s.addUnknown(m.Word, m.String())
			continue
		}
		s.answer[m.Purpose] = combine(s.answer[m.Purpose], m.Preference)
	}
}

func (s *statement) addUnknown(word, text string) {
	for i := range labels {
		if l := &labels[i]; l.Carrier == s.Carrier && l.Word == word && s.answer[l.Purpose] == Unknown {
			s.hasUnknownValue[l.Purpose] = true
		}
	}
	if len(s.unknown) < maxWords {
		s.unknown = append(s.unknown, shortened(text))
	}
}

// maxText and maxWords limit what is shown of a statement, because a hostile statement may be very long.
const (
	maxText  = 300
	maxWords = 5
)

func shortened(text string) string {
	if len(text) <= maxText {
		return strings.Clone(text) // a copy: a part of the file would keep the whole file in memory
	}
	return text[:maxText] + "…"
}

// A byPath finds, for one carrier such as Content-Usage, what the statements for a path say.
type byPath struct {
	// If longest is true, only the statements with the longest matching path are used (AI-5). If it is false, all
	// matching statements are used (AI-11).
	longest   bool
	pathless  Answer // the preferences in the statements that have no path
	byPurpose [purposeCount]pathPreferences
}

type pathPreferences struct {
	policy      *robotstxt.Policy // finds the statement that decides; nil if no statement has a path
	preferences []Preference      // for each pattern of the policy: the preference in its statement
}

func (l *lines) pathsOf(carrier Carrier, longest bool) byPath {
	b := byPath{longest: longest}
	var withPath []*statement
	for i := range l.statements {
		switch s := &l.statements[i]; {
		case s.Carrier != carrier || s.whyNoEffect != "":
		case s.path == "":
			b.pathless.combine(s.answer)
		default:
			withPath = append(withPath, s)
		}
	}
	for purpose := range b.byPurpose {
		says := func(s *statement) bool { return s.answer[purpose] != Unknown }
		if b.pathless[purpose] != Unknown || slices.ContainsFunc(withPath, says) { // otherwise no statement says anything about this purpose
			b.byPurpose[purpose] = newPathPreferences(withPath, Purpose(purpose), longest)
		}
	}
	return b
}

// newPathPreferences sorts the strictest preferences first, because the first matching statement decides (AI-4).
func newPathPreferences(statements []*statement, purpose Purpose, longest bool) pathPreferences {
	ordered := slices.Clone(statements)
	slices.SortStableFunc(ordered, func(a, b *statement) int { return int(b.answer[purpose]) - int(a.answer[purpose]) })
	var w pathPreferences
	var patterns []string
	for _, s := range ordered {
		if !longest && s.answer[purpose] == Unknown {
			break
		}
		patterns = append(patterns, s.path)
		w.preferences = append(w.preferences, s.answer[purpose])
	}
	switch {
	case len(patterns) == 0:
	case longest:
		w.policy = robotstxt.LongestOf(patterns)
	default:
		w.policy = robotstxt.FirstOf(patterns)
	}
	return w
}

func (b *byPath) decide(a *Answer, target string) {
	for purpose := range b.byPurpose {
		says := b.pathless[purpose]
		if w := &b.byPurpose[purpose]; w.policy != nil {
			if d := checkPath(w.policy, target); d.Reason == robotstxt.ByRule {
				found := w.preferences[d.Rule.Line-1]
				if !b.longest {
					found = combine(found, says)
				}
				says = found
			}
		}
		a[purpose] = combine(a[purpose], says)
	}
}
