package policyfile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/robotstxt"
	"github.com/heed-robots/heed/robotstxt/record"
	"github.com/heed-robots/heed/usage"
)

// joinWishes joins the preferences for the same path. If they disagree about a purpose, "disallow" wins.
func joinWishes(all []wish) (joined []wish) {
	place := map[string]int{}
	for _, w := range all {
		at, again := place[w.path]
		if !again {
			place[w.path] = len(joined)
			joined = append(joined, w)
			continue
		}
		for _, p := range usage.Purposes() {
			joined[at].answer[p] = max(joined[at].answer[p], w.answer[p])
		}
	}
	return joined
}

func overlayWishes(wide, narrow []wish) []wish {
	all := slices.Clone(wide)
	for _, n := range narrow {
		at := slices.IndexFunc(all, func(w wish) bool { return w.path == n.path })
		if at < 0 {
			all = append(all, n)
			continue
		}
		all[at].answer = filled(n.answer, all[at].answer)
	}
	return all
}

// completeWishes copies missing preferences from shorter paths: if several Content-Usage lines match, only the one with the
// longest path applies (AI-5).
func completeWishes(wishes []wish) []wish {
	all := slices.Clone(wishes)
	slices.SortStableFunc(all, func(a, b wish) int { return len(a.path) - len(b.path) })
	for i := range all {
		for j := i - 1; j >= 0; j-- {
			if strings.HasPrefix(all[i].path, all[j].path) {
				all[i].answer = filled(all[i].answer, all[j].answer)
				break
			}
		}
	}
	return all
}

func (w *wish) statement(purposes ...usage.Purpose) string {
	text := "usage " + strings.ReplaceAll(w.answer.Text(purposes...), " ", "")
	if w.path != "/" {
		text += " " + w.path
	}
	return text
}

// A stated is what a Content-Usage or Content-Signal line says. For other lines, it is zero.
type stated struct {
	carrier usage.Carrier
	wish
	members string // sorted, such as "ai-train=no, search=yes"
}

func statedIn(line string) (s stated) {
	key, value, _ := strings.Cut(line, ": ")
	read, err := record.Parse(key, value)
	if err != nil {
		return s
	}
	carrier, path, members := usage.Members(read)
	if carrier == "" {
		return s
	}
	s.carrier, s.path = carrier, keyOf(path)
	texts := slices.Clone(record.Unread(read))
	for _, m := range members {
		s.answer[m.Purpose] = max(s.answer[m.Purpose], m.Preference)
		texts = append(texts, m.String())
	}
	slices.Sort(texts)
	s.members = strings.Join(texts, ", ")
	return s
}

// wishesIn returns the preferences of a group with some records. They are exact if the writer would write these records.
func (w *writer) wishesIn(records []string) (wishes []wish, isExact bool) {
	var said, written []stated
	for _, line := range records {
		s := statedIn(line)
		if s.carrier != "" && !slices.Contains(said, s) {
			said = append(said, s)
		}
		if s.carrier == w.carriers()[0] {
			wishes = append(wishes, s.wish)
		}
	}
	wishes = completeWishes(joinWishes(wishes))
	var b strings.Builder
	for _, one := range wishes {
		if strings.ContainsAny(one.path, "*$") {
			return nil, false
		}
		w.writeWish(&b, one, wishes)
	}
	for line := range strings.Lines(b.String()) {
		written = append(written, statedIn(strings.TrimSuffix(line, "\n")))
	}
	isOther := func(s stated) bool { return !slices.Contains(said, s) }
	return wishes, len(said) == len(written) && len(wishes) <= maxWishes && !slices.ContainsFunc(written, isOther)
}

// contradicted returns an error if a record says the opposite of a preference of the policy.
func (m *meaning) contradicted() error {
	for _, wish := range m.wishes {
		for _, line := range m.records {
			s := statedIn(line)
			for _, p := range usage.Purposes() {
				if s.path == wish.path && areOpposite(s.answer[p], wish.answer[p]) {
					return fmt.Errorf(`"record %s" contradicts "%s": keep only one of them`, line, wish.statement(p))
				}
			}
		}
	}
	return nil
}

func areOpposite(a, b usage.Preference) bool {
	return a != usage.Unknown && b != usage.Unknown && a != b
}

func filled(answer, fallback usage.Answer) usage.Answer {
	for _, p := range usage.Purposes() {
		if answer[p] == usage.Unknown {
			answer[p] = fallback[p]
		}
	}
	return answer
}

func (w *writer) carriers() []usage.Carrier {
	if w.File.carriers == nil {
		return []usage.Carrier{usage.ContentUsage, usage.ContentSignal}
	}
	return w.File.carriers
}

func (w *writer) writeWish(b *strings.Builder, wish wish, all []wish) {
	for _, carrier := range w.carriers() {
		answer := wish.answer
		if carrier == usage.ContentSignal {
			answer = signalOf(wish, all)
		}
		said := saidBy(carrier, answer)
		switch {
		case said == "":
		case carrier == usage.ContentSignal:
			fmt.Fprintf(b, "Content-Signal: %s\n", said)
		case wish.path != "/":
			fmt.Fprintf(b, "Content-Usage: %s %s\n", wish.path, said)
		default:
			fmt.Fprintf(b, "Content-Usage: %s\n", said)
		}
	}
}

func (w *writer) checkWishes(m *meaning) error {
	byToken := map[string]usage.Preference{}
	for _, wish := range w.saidByToken() {
		byToken[wish.path] = wish.answer[usage.TrainAI]
	}
	if m.isClosed() {
		return nil
	}
	if err := m.contradicted(); err != nil {
		return err
	}
	for _, wish := range m.wishes {
		said := usage.Answer{}
		if slices.Contains(w.carriers(), usage.ContentSignal) {
			said = signalOf(wish, m.wishes)
		}
		if slices.Contains(w.carriers(), usage.ContentUsage) {
			said = wish.answer
		}
		if token := byToken[wish.path]; token != usage.Unknown && wish.answer[usage.TrainAI] != usage.Unknown {
			said[usage.TrainAI] = token
		}
		for _, p := range usage.Purposes() {
			if said[p] != wish.answer[p] {
				return fmt.Errorf("the carriers of this policy (%s) cannot say %s=%s for the path %s: add content-usage to the line \"carriers\" of the policy, or, if different crawlers have different preferences, remove purpose-token from this line", strings.Join(printable.Words(w.carriers()), ", "), p, wish.answer[p].Short(), wish.path)
			}
		}
	}
	return nil
}

// signalOf returns what a Content-Signal line says of a preference. Such a line has no path, and applies to the whole site. So it
// leaves out what a preference for another path contradicts.
func signalOf(one wish, all []wish) usage.Answer {
	if one.path != "/" {
		return usage.Answer{}
	}
	for _, other := range all {
		for _, p := range usage.Purposes() {
			if said := other.answer[p]; said != usage.Unknown && said != one.answer[p] {
				one.answer[p] = usage.Unknown
			}
		}
	}
	return one.answer
}

// withoutSignals returns the preferences that no Content-Signal line states.
func (m *meaning) withoutSignals() []wish {
	all := slices.Clone(m.wishes)
	for _, one := range m.wishes {
		signal := signalOf(one, m.wishes)
		for i := range all {
			for _, p := range usage.Purposes() {
				if all[i].answer[p] == signal[p] {
					all[i].answer[p] = usage.Unknown
				}
			}
		}
	}
	return slices.DeleteFunc(all, func(one wish) bool { return one.answer == usage.Answer{} })
}

func saidBy(carrier usage.Carrier, answer usage.Answer) string {
	var words []string
	for _, label := range usage.Labels() {
		if label.Carrier != carrier {
			continue
		}
		switch answer[label.Purpose] {
		case usage.Allowed:
			words = append(words, label.Word+"="+label.Allows)
		case usage.Disallowed:
			words = append(words, label.Word+"="+label.Denies)
		}
	}
	return strings.Join(words, ", ")
}

// A tokenGroup is the group of a purpose token such as Google-Extended. The token is no crawler: its rules say how content may
// be used (AI-10).
type tokenGroup struct{ name, lines string }

func (w *writer) tokens(all []*crawler) (groups []tokenGroup) {
	for _, c := range all {
		if c.isToken && c.isNamed {
			groups = append(groups, tokenGroup{c.names[0], w.byCrawler[c].exact})
		}
	}
	return append(groups, w.tokensForAll()...)
}

// tokensForAll returns groups of purpose tokens without an operator, because these apply to all crawlers.
func (w *writer) tokensForAll() (groups []tokenGroup) {
	lines := w.tokenLines()
	for _, t := range usage.Tokens() {
		if lines != "" && t.Operator == "" {
			groups = append(groups, tokenGroup{t.Name, lines})
		}
	}
	return groups
}

// saidByToken returns only the preferences about training that are for every crawler, because a purpose token can express
// no others.
func (w *writer) saidByToken() (said []wish) {
	b := w.byWho[subject{}]
	if b == nil || !slices.Contains(w.carriers(), usage.PurposeToken) {
		return nil
	}
	for _, wish := range b.wishes {
		if wish.answer[usage.TrainAI] != usage.Unknown {
			said = append(said, wish)
		}
	}
	return said
}

func (w *writer) tokenLines() string {
	var rules []rule
	for _, wish := range w.saidByToken() {
		rules = append(rules, newRule(robotstxt.Rule{Allow: wish.answer[usage.TrainAI] == usage.Allowed, Pattern: wish.path}))
	}
	if len(rules) == 0 {
		return ""
	}
	return w.linesOf(&meaning{}, w.inOrder(rules))
}
