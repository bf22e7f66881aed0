package policyfile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/heed-robots/heed/robotstxt"
	"github.com/heed-robots/heed/usage"
)

// joinWishes joins all wishes (preferences for paths) that have the same path into one. If they disagree about a purpose,
// this purpose is disallowed.
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

// overlayWishes joins the wishes (preferences for paths) of two levels. The narrow level has priority.
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

// completeWishes adds to each wish the preferences that it lacks. They come from the wish with the next shorter path, for
// example from "/a/" for "/a/b/". They are needed because only the Content-Usage line with the longest path applies (AI-5).
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

func filled(answer, fallback usage.Answer) usage.Answer {
	for _, p := range usage.Purposes() {
		if answer[p] == usage.Unknown {
			answer[p] = fallback[p]
		}
	}
	return answer
}

// usualCarriers are the kinds of lines for preferences if the policy has no "carriers" line.
var usualCarriers = []usage.Carrier{usage.ContentUsage, usage.ContentSignal}

func (w *writer) carriers() []usage.Carrier {
	if w.File.carriers == nil {
		return usualCarriers
	}
	return w.File.carriers
}

// writeWish writes the lines for one wish. Content-Signal has no paths, so it is only for the whole site.
func (w *writer) writeWish(b *strings.Builder, wish wish, all []wish) {
	for _, carrier := range w.carriers() {
		answer := wish.answer
		if carrier == usage.ContentSignal {
			answer = withoutContradicted(answer, all)
		}
		said := saidBy(carrier, answer)
		switch {
		case said == "" || carrier == usage.ContentSignal && wish.path != "/":
		case carrier == usage.ContentSignal:
			fmt.Fprintf(b, "Content-Signal: %s\n", said)
		case wish.path != "/":
			fmt.Fprintf(b, "Content-Usage: %s %s\n", wish.path, said)
		default:
			fmt.Fprintf(b, "Content-Usage: %s\n", said)
		}
	}
}

// checkWishes returns an error if no line can express a preference, or if the group for a purpose token contradicts a
// preference.
func (w *writer) checkWishes(m *meaning) error {
	byToken := map[string]usage.Preference{}
	for _, wish := range w.saidByToken() {
		byToken[wish.path] = wish.answer[usage.TrainAI]
	}
	if m.isClosed() {
		return nil
	}
	for _, wish := range m.wishes {
		said := usage.Answer{}
		if wish.path == "/" && slices.Contains(w.carriers(), usage.ContentSignal) {
			said = withoutContradicted(wish.answer, m.wishes)
		}
		if slices.Contains(w.carriers(), usage.ContentUsage) {
			said = wish.answer
		}
		if token := byToken[wish.path]; token != usage.Unknown && wish.answer[usage.TrainAI] != usage.Unknown {
			said[usage.TrainAI] = token
		}
		for _, p := range usage.Purposes() {
			if said[p] != wish.answer[p] {
				return fmt.Errorf("no carrier of this policy (%s) can state %s=%s for the path %s: add content-usage to the line \"carriers\", or remove purpose-token, which applies to all crawlers", listOf(w.carriers()), p, wish.answer[p].Short(), wish.path)
			}
		}
	}
	return nil
}

// withoutContradicted returns the answer, but leaves out each preference that one of the wishes contradicts.
func withoutContradicted(answer usage.Answer, wishes []wish) usage.Answer {
	for _, other := range wishes {
		for _, p := range usage.Purposes() {
			if said := other.answer[p]; said != usage.Unknown && said != answer[p] {
				answer[p] = usage.Unknown
			}
		}
	}
	return answer
}

// saidBy returns preferences in the words of a carrier, such as "train-ai=n" for Content-Usage. If the carrier has no word
// for any of them, it returns "".
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

// A tokenGroup is a group for a purpose token, such as Google-Extended. It says for which purposes content may be used
// (AI-10).
type tokenGroup struct{ name, lines string }

// tokens returns the groups for purpose tokens that the robots.txt needs.
func (w *writer) tokens(all []*crawler) (groups []tokenGroup) {
	for _, c := range all {
		if c.isToken && c.isNamed {
			groups = append(groups, tokenGroup{c.names[0], w.of[c].exact})
		}
	}
	return append(groups, w.tokensForAll()...)
}

// tokensForAll returns the groups of the purpose tokens that belong to no operator, and so are for all crawlers.
func (w *writer) tokensForAll() (groups []tokenGroup) {
	lines := w.tokenLines()
	for _, t := range usage.Tokens() {
		if lines != "" && t.Operator == "" {
			groups = append(groups, tokenGroup{t.Name, lines})
		}
	}
	return groups
}

// saidByToken returns the wishes for everyone that are about training. A purpose token can express only such wishes.
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

// tokenLines returns the rules in the group for a purpose token; "" if there are none.
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
