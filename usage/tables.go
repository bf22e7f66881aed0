package usage

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/heed-robots/heed/crawlers"
	"github.com/heed-robots/heed/internal/ascii"
	"github.com/heed-robots/heed/internal/printable"
)

// A Carrier is a kind of statement about the use of content.
type Carrier string

// The carriers. ContentUsage is a line of a robots.txt or a header. TDMRep is the file tdmrep.json, a header or a
// meta element.
const (
	ContentUsage  Carrier = "content-usage"
	ContentSignal Carrier = "content-signal"
	PurposeToken  Carrier = "purpose-token" // a User-agent line that names a purpose instead of a crawler, with the rules of its group
	License       Carrier = "license"       // the address of licence terms; it has no effect on answers
	TDMRep        Carrier = "tdmrep"
	XRobotsTag    Carrier = "x-robots-tag" // the header X-Robots-Tag
	MetaRobots    Carrier = "meta-robots"  // the meta element "robots" of a page, or one with the name of a crawler
)

// A Source is the document that a row of a table is from, and the day on which it was read.
type Source struct{ Document, Read string }

const readIn = "2026-11"

var (
	vocab  = Source{"draft-ietf-aipref-vocab-07", readIn}
	vocab8 = Source{"draft-ietf-aipref-vocab-08, whose label is still open", readIn}
	attach = Source{"draft-ietf-aipref-attach-05", readIn}
	kelley = Source{"draft-kelley-aipref-training-preference-signal-00, and a release note of 2026-11-11 for the spelling", readIn}
	signal = Source{"Content Signals, in Cloudflare's managed robots.txt", readIn}
	tdm    = Source{"TDMRep, W3C community group report of 2024-05-10", readIn}
	rsl    = Source{"RSL 1.0, rslstandard.org", readIn}
	robots = Source{"Google's documentation of the robots meta tag and X-Robots-Tag", readIn}
	noAI   = Source{"a convention of image sites, read by img2dataset (its pull request 218)", readIn}
)

// A CarrierInfo says what a carrier is.
type CarrierInfo struct {
	Carrier Carrier
	Where   string // where sites write this carrier, for example "a header"
	Source  Source
}

// Carriers returns a row for each carrier, in the order in which Explain reads them.
func Carriers() []CarrierInfo {
	return []CarrierInfo{
		{ContentUsage, "a line of a robots.txt, or a header", attach},
		{ContentSignal, "a line of a robots.txt", signal},
		{PurposeToken, "a group of a robots.txt for a token that is no crawler", kelley},
		{License, "a line of a robots.txt", rsl},
		{TDMRep, "/.well-known/tdmrep.json, the headers tdm-reservation and tdm-policy, and meta elements with these names", tdm},
		{XRobotsTag, "a header", robots},
		{MetaRobots, "a meta element with the name robots, or that of a crawler", robots},
	}
}

// A Label is a word of a carrier, and what the word says about a purpose (AI-15). Some words, such as "noai", name no
// purpose; for them, Heed has chosen the purpose.
type Label struct {
	Carrier Carrier
	Word    string // the key or the directive, such as "train-ai" or "noai"
	Allows  string // the value that allows the purpose; "" if no value allows it
	Denies  string // the value that disallows the purpose; "" if the word without a value disallows it
	Purpose Purpose
	Source  Source
}

var labels = []Label{
	{ContentUsage, "train-ai", "y", "n", TrainAI, vocab},
	{ContentUsage, "search", "y", "n", Search, vocab},
	{ContentUsage, "ai-use", "y", "n", AIUse, vocab8},
	{ContentSignal, "ai-train", "yes", "no", TrainAI, signal},
	{ContentSignal, "search", "yes", "no", Search, signal},
	{ContentSignal, "ai-input", "yes", "no", AIUse, signal},
	{TDMRep, "tdm-reservation", "", "1", TrainAI, tdm},
	{XRobotsTag, "noai", "", "", TrainAI, noAI},
	{XRobotsTag, "noimageai", "", "", TrainAI, noAI},
	{XRobotsTag, "noml", "", "", TrainAI, noAI},
	{XRobotsTag, "noindex", "", "", Search, robots},
	{XRobotsTag, "none", "", "", Search, robots},
}

// Labels returns the table of words. It has no rows for MetaRobots, because MetaRobots has the same words as XRobotsTag.
func Labels() []Label { return slices.Clone(labels) }

func (a *Answer) addWord(carrier Carrier, word, value string) (known bool) {
	for i := range labels {
		l := &labels[i]
		if l.Carrier != carrier || l.Word != word {
			continue
		}
		known = true
		switch {
		case value == l.Denies:
			a[l.Purpose] = combine(a[l.Purpose], Disallowed)
		case value == l.Allows:
			a[l.Purpose] = combine(a[l.Purpose], Allowed)
		}
	}
	return known
}

// A Token is a name in User-agent lines that stands for a purpose, not for a crawler, such as Google-Extended (AI-10).
type Token struct {
	Name     string
	Operator string // the operator whose crawlers obey the token; "" means all crawlers
	Purpose  Purpose
	Source   Source
}

var purposeTokens = []Token{
	{"__usage_ai-training", "", TrainAI, kelley},
}

// Tokens returns the purpose tokens. One is from a draft. The others are the tokens of package crawlers that are for
// training and never crawl.
func Tokens() []Token { return slices.Clone(allTokens()) }

var allTokens = sync.OnceValue(func() []Token {
	tokens := slices.Clone(purposeTokens)
	for c := range crawlers.Known().For(crawlers.AITraining) {
		if c.Crawls == crawlers.No {
			tokens = append(tokens, Token{c.Token, c.Operator, TrainAI, Source{c.Source.URL, c.Source.Read}})
		}
	}
	return tokens
})

// TokenNamed returns the purpose token with the given name, in any letter case.
func TokenNamed(name string) (Token, bool) {
	for _, t := range purposeTokens {
		if ascii.EqualFold(t.Name, name) {
			return t, true
		}
	}
	c, ok := crawlers.Known().Lookup(name)
	if ok && c.Crawls == crawlers.No && slices.Contains(c.Purposes, crawlers.AITraining) {
		return Token{c.Token, c.Operator, TrainAI, Source{c.Source.URL, c.Source.Read}}, true
	}
	return Token{}, false
}

// A Profile is a set of carriers. Answers use only the statements of these carriers (AI-15).
type Profile struct {
	Name     string
	About    string
	Carriers []Carrier // nil means all carriers
}

var profiles = []*Profile{
	{"all", "every carrier", nil},
	{"ietf", "Content-Usage only, as in the IETF drafts", []Carrier{ContentUsage}},
	{"signals", "Content-Signal only", []Carrier{ContentSignal}},
	{"eu-art4", "what reserves rights in a form that machines read: TDMRep, Content-Signal, Content-Usage and purpose tokens",
		[]Carrier{TDMRep, ContentSignal, ContentUsage, PurposeToken}},
}

// Profiles returns all profiles; the first profile is the default.
func Profiles() []*Profile { return slices.Clone(profiles) }

// ProfileNamed returns the profile with the given name, such as "ietf".
func ProfileNamed(name string) (*Profile, error) {
	var names []string
	for _, p := range profiles {
		if p.Name == name {
			return p, nil
		}
		names = append(names, p.Name)
	}
	return nil, fmt.Errorf("unknown profile %s; expected one of %s", printable.Quote(name), strings.Join(names, ", "))
}

func (p *Profile) counts(c Carrier) bool {
	return p == nil || p.Carriers == nil || slices.Contains(p.Carriers, c)
}
