package usage_test

import (
	"strings"
	"testing"

	"github.com/heed-robots/heed/robotstxt"
	"github.com/heed-robots/heed/usage"
)

// A question without evidence, and one with it, allocate nothing.
func TestCheckDoesNotAllocate(t *testing.T) {
	for _, robots := range []string{
		"User-agent: *\nDisallow: /a\n",
		"User-agent: *\nContent-Usage: train-ai=n\nContent-Usage: /a search=y\nContent-Signal: ai-input=no\n\nUser-agent: __usage_ai-training\nDisallow: /b\n",
	} {
		policy := usage.New(robotstxt.ParseString(robots, nil), usage.Options{}, "ExampleBot")
		response := usage.ReadResponse(map[string][]string{"X-Robots-Tag": {"noai"}}, nil)
		for range 1000 {
			policy.Check("https://a.example/a/b", true, response)
		}
		if n := testing.AllocsPerRun(100, func() { policy.Check("https://a.example/a/b", true, response) }); n > 0 {
			t.Errorf("Check allocates %v times with\n%s", n, robots)
		}
	}
	headers := map[string][]string{"Content-Type": {"text/html"}, "Server": {"x"}}
	if n := testing.AllocsPerRun(100, func() { usage.ReadResponse(headers, nil) }); n > 0 {
		t.Errorf("ReadResponse of headers that say nothing allocates %v times", n)
	}
}

// AI-17: what is behind the limits is not read; a dictionary that is too long is unknown, and never allowed.
func TestLimits(t *testing.T) {
	policy := usage.New(robotstxt.ParseString("", nil), usage.Options{})
	check := func(headers map[string][]string, html string) string {
		return policy.Check("/", true, usage.ReadResponse(headers, []byte(html))).String()
	}
	meta := "<meta name=robots content=noindex>"
	if got := check(nil, strings.Repeat("x", usage.MaxHTML-len(meta))+meta); got != "search=n" {
		t.Errorf("a page of 64 KiB: %q", got)
	}
	if got := check(nil, strings.Repeat("x", usage.MaxHTML-len(meta)+1)+meta); got != "" {
		t.Errorf("an element behind 64 KiB: %q", got)
	}
	long := "train-ai=y, x=\"" + strings.Repeat("x", usage.MaxHeader) + `"`
	if got := check(map[string][]string{"Content-Usage": {long}}, ""); got != "" {
		t.Errorf("a header of more than 64 KiB: %q", got)
	}
	if got := check(map[string][]string{"X-Robots-Tag": {"noai, " + strings.Repeat("x", usage.MaxHeader), "noindex"}}, ""); got != "train-ai=n" {
		t.Errorf("an X-Robots-Tag of more than 64 KiB: %q", got)
	}
	for _, text := range []string{"", "null", "{}", "[", "[{}", strings.Repeat(" ", usage.MaxTDMRep) + "[]", "[" + strings.Repeat("0,", usage.MaxTDMRows) + "0]"} {
		if file, err := usage.ReadTDMRep([]byte(text)); err == nil || file != nil {
			t.Errorf("a tdmrep.json %.10q: %v, %v", text, file, err)
		}
	}
	for _, text := range []string{"[]", "\ufeff[]", "[0, null, {}, [], {\"location\": 1}]"} {
		file, err := usage.ReadTDMRep([]byte(text))
		if err != nil {
			t.Errorf("a tdmrep.json %q: %v", text, err)
		} else if got, _ := usage.TDM(file, "/x", nil); got != usage.Unset {
			t.Errorf("a tdmrep.json %q: %v", text, got)
		}
	}
}

// AI-12, AI-16: what decides, and what does not and why.
func TestEvidence(t *testing.T) {
	robots := `License: https://a.example/licence.xml
Content-Usage: train-ai=y
User-agent: otherbot
Content-Signal: ai-train=yes
Disallow: /x
User-agent: *
Content-Usage: train-ai=y
Content-Usage: /a/ train-ai=n, bots=n
Content-Usage: /b/ train-ai=y
Content-Signal: ai-train=yes, use=full
Content-Signal: search=no
Content-Signal: /a/ ai-train=no
Allow: /
User-agent: __usage_ai-training
Disallow: /c/
`
	tdmrep, err := usage.ReadTDMRep([]byte(`[{"location": "/", "tdm-reservation": 1}]`))
	if err != nil {
		t.Fatal(err)
	}
	policy := usage.New(robotstxt.ParseString(robots, nil), usage.Options{TDMRep: tdmrep}, "ExampleBot")
	response := usage.ReadResponse(map[string][]string{
		"Content-Usage": {"Train=n"}, "X-Robots-Tag": {"noai", "otherbot: noai"}, "tdm-reservation": {"0"},
	}, []byte("<meta name=robots content=noindex><meta name=tdm-reservation content=2>"))
	v := policy.Explain("https://a.example/a/x", true, response, usage.TrainAI)[0]
	var got strings.Builder
	show := func(s usage.Statement, why string) {
		place := s.Header + s.Meta
		switch {
		case s.Line > 0:
			place = "line " + string(rune('0'+s.Line/10)) + string(rune('0'+s.Line%10))
		case s.Row > 0:
			place = "row " + string(rune('0'+s.Row))
		}
		got.WriteString(string(s.Carrier) + " | " + place + " | " + s.Text + " | " + why + "\n")
	}
	for _, s := range v.By {
		show(s, "decides")
	}
	for _, s := range v.Ignored {
		show(s.Statement, s.Why)
	}
	want := `content-usage | line 08 | Content-Usage: /a/ train-ai=n, bots=n | decides
content-signal | line 12 | Content-Signal: /a/ ai-train=no | decides
x-robots-tag | x-robots-tag | noai | decides
license | line 01 | License: https://a.example/licence.xml | licence terms decide nothing: Heed does not fetch them
content-usage | line 02 | Content-Usage: train-ai=y | no User-agent line is before it, so it is for no crawler
content-signal | line 04 | Content-Signal: ai-train=yes | its group is for other crawlers
content-usage | line 07 | Content-Usage: train-ai=y | line 8 has a longer path, and that decides
content-usage | line 09 | Content-Usage: /b/ train-ai=y | its path does not match
content-signal | line 10 | Content-Signal: ai-train=yes, use=full | another statement disallows it, and that decides
content-signal | line 11 | Content-Signal: search=no | it says nothing about train-ai
purpose-token | line 14 | User-agent: __usage_ai-training | no rule of its group matches
tdmrep | row 1 | {"location": "/", "tdm-reservation": 1} | a later place overrides it: headers override tdmrep.json, and the page overrides both
tdmrep | tdm-reservation | 0 | rights are not reserved, which allows nothing by itself
tdmrep | tdm-reservation | 2 | its value is neither 0 nor 1, so it says nothing
content-usage | content-usage | Train=n | it cannot be read, so all of it is unknown: expected a key that begins with a lower-case letter or * at offset 0
x-robots-tag | x-robots-tag | otherbot: noai | it is for another crawler, otherbot
meta-robots | robots | noindex | it says nothing about train-ai
`
	if v.Preference != usage.Disallowed || got.String() != want {
		t.Errorf("%v, by\n%s\nwant\n%s", v.Preference, got.String(), want)
	}
}

// AI-16: a member that repeats or contradicts another one is not unknown.
func TestUnknownMembers(t *testing.T) {
	for members, want := range map[string]string{
		"search=yes, search=yes":            "it says nothing about ai-use",
		"search=no, search=yes":             "it says nothing about ai-use",
		"search=yes, search=maybe, bots=no": "it says nothing about ai-use: the purpose or the value is unknown in bots=no, search=maybe",
	} {
		policy := usage.New(robotstxt.ParseString("User-agent: *\nContent-Signal: "+members+"\n", nil), usage.Options{}, "ExampleBot")
		if v := policy.Explain("/", true, nil, usage.AIUse)[0]; len(v.Ignored) != 1 || v.Ignored[0].Why != want {
			t.Errorf("%s: %+v, want %s", members, v.Ignored, want)
		}
	}
}

// AI-16: the text of an answer.
func TestAnswerText(t *testing.T) {
	a := usage.Answer{usage.Disallowed, usage.Allowed, usage.Unknown}
	for want, purposes := range map[string][]usage.Purpose{
		"train-ai=n, search=y": {usage.Search, usage.TrainAI, usage.AIUse},
		"search=y":             {usage.Search},
		"":                     {usage.AIUse},
	} {
		if got := a.Text(purposes...); got != want {
			t.Errorf("about %v: %q, want %q", purposes, got, want)
		}
	}
	if got := usage.NoAnswer.Text(usage.Search); got != "not-crawlable" {
		t.Errorf("not crawlable: %q", got)
	}
}

// AI-2, AI-10, AI-15: each row of the tables has a source and a day; names are found again.
func TestTables(t *testing.T) {
	for _, p := range usage.Purposes() {
		if again, err := usage.PurposeNamed(p.String()); err != nil || again != p {
			t.Errorf("%v: %v, %v", p, again, err)
		}
	}
	if _, err := usage.PurposeNamed("ai-train"); err == nil || !strings.Contains(err.Error(), "did you mean train-ai") {
		t.Errorf("ai-train: %v", err)
	}
	var sources []usage.Source
	for _, c := range usage.Carriers() {
		sources = append(sources, c.Source)
	}
	for _, l := range usage.Labels() {
		sources = append(sources, l.Source)
	}
	tokens := map[string]string{}
	for _, token := range usage.Tokens() {
		sources, tokens[token.Name] = append(sources, token.Source), token.Operator
		if again, ok := usage.TokenNamed(strings.ToUpper(token.Name)); !ok || again != token {
			t.Errorf("%s: %+v", token.Name, again)
		}
	}
	if len(tokens) != 3 || tokens["__usage_ai-training"] != "" || tokens["Google-Extended"] != "Google" || tokens["Applebot-Extended"] != "Apple" {
		t.Errorf("the purpose tokens are %v", tokens)
	}
	for _, s := range sources {
		if s.Document == "" || len(s.Read) < len("2026-11") {
			t.Errorf("the source %+v is incomplete", s)
		}
	}
	for _, p := range usage.Profiles() {
		if again, err := usage.ProfileNamed(p.Name); err != nil || again != p || p.About == "" {
			t.Errorf("profile %s: %v, %v", p.Name, again, err)
		}
	}
	if _, err := usage.ProfileNamed("eu"); err == nil {
		t.Error("the profile eu exists")
	}
}

// AI-10: the version behind a purpose token is read as that behind a crawler's, in each dialect.
func TestPurposeTokenWithVersion(t *testing.T) {
	for _, d := range robotstxt.Dialects() {
		robots := robotstxt.ParseString("User-agent: __usage_AI-training/1.0\nDisallow: /a\n", d)
		if got := usage.New(robots, usage.Options{}, "ExampleBot").Check("/a", true, nil); got[usage.TrainAI] != usage.Disallowed {
			t.Errorf("%v: %v", d, got)
		}
	}
}

// Crawlers to which the same groups apply share what is read, also beyond what is kept, and the evidence has a limit.
func TestManyStatements(t *testing.T) {
	var robots strings.Builder
	robots.WriteString("User-agent: *\n")
	for range 3000 {
		robots.WriteString("Content-Usage: train-ai=n\nContent-Signal: ai-train=yes\n")
	}
	robots.WriteString("Content-Usage: " + strings.Repeat("x=y,", 1000) + "search=N\nAllow: /\nUser-agent: b\nContent-Usage: search=y\nAllow: /\n")
	uses := usage.Read(robotstxt.ParseString(robots.String(), nil))
	one := uses.For(usage.Options{}, "a")
	size := uses.Size()
	for _, name := range []string{"c", "d", "a"} {
		if got := uses.For(usage.Options{}, name).Check("/", true, nil); got != one.Check("/", true, nil) || uses.Size() != size {
			t.Errorf("%s: %v, and %d bytes instead of %d", name, got, uses.Size(), size)
		}
	}
	if got := uses.For(usage.Options{}, "b").Check("/", true, nil).String(); got != "search=y" || uses.Size() > size/2 { // what is kept of others is too large
		t.Errorf("b: %q, and %d bytes", got, uses.Size())
	}
	v := one.Explain("/", true, nil, usage.TrainAI)[0]
	if len(v.By)+v.MoreBy != 3000 || len(v.By) != 20 || len(v.Ignored) != 100 || v.More != 3001-100 {
		t.Errorf("by %d and %d more, ignored %d and %d more", len(v.By), v.MoreBy, len(v.Ignored), v.More)
	}
	v = one.Explain("/", true, nil, usage.Search)[0]
	for _, s := range v.Ignored {
		if len(s.Text) > 400 || len(s.Why) > 2000 {
			t.Fatalf("a text of %d bytes, and a reason of %d", len(s.Text), len(s.Why))
		}
	}
}

// AI-13, AI-17: a tdmrep.json that could not be read allows nothing, except where the response says that rights are not reserved.
func TestFailedTDMRep(t *testing.T) {
	policy := usage.New(robotstxt.ParseString("User-agent: *\nContent-Usage: train-ai=y, search=y\n", nil), usage.Options{TDMRep: usage.FailedTDMRep("status 500")})
	for header, want := range map[string]string{"": "search=y", "0": "train-ai=y, search=y", "1": "train-ai=n, search=y", "x": "search=y"} {
		response := usage.ReadResponse(map[string][]string{"tdm-reservation": {header}}, nil)
		if got := policy.Check("/", true, response).String(); got != want {
			t.Errorf("with the header %q: %q, want %q", header, got, want)
		}
	}
	v := policy.Explain("/", true, nil, usage.TrainAI)[0]
	if v.Preference != usage.Unknown || len(v.By) > 0 || len(v.Ignored) != 2 || !strings.Contains(v.Ignored[1].Why, "status 500") {
		t.Errorf("%+v", v)
	}
	ietf, _ := usage.ProfileNamed("ietf")
	if got := policy.With(usage.Options{Profile: ietf, TDMRep: usage.FailedTDMRep("x")}).Check("/", true, nil).String(); got != "train-ai=y, search=y" {
		t.Errorf("a profile without TDMRep: %q", got)
	}
}

// The texts of purpose tokens and of crawlers in headers have the limit of all evidence.
func TestLongEvidence(t *testing.T) {
	long := strings.Repeat("x", 10_000)
	policy := usage.New(robotstxt.ParseString("User-agent: __usage_ai-training "+long+"\nDisallow: /"+long+"\n", nil), usage.Options{})
	response := usage.ReadResponse(map[string][]string{"X-Robots-Tag": {long + ": noai"}}, nil)
	for _, path := range []string{"/" + long, "/"} {
		v := policy.Explain(path, true, response, usage.TrainAI)[0]
		texts := []string{v.Ignored[0].Why, v.Ignored[len(v.Ignored)-1].Why}
		for _, s := range v.By {
			texts = append(texts, s.Text)
		}
		for _, s := range v.Ignored {
			texts = append(texts, s.Text)
		}
		for _, text := range texts {
			if len(text) > 400 {
				t.Errorf("%.10s: a text of %d bytes: %.40s", path, len(text), text)
			}
		}
	}
}
