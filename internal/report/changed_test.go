package report

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/heed-robots/heed/compare"
	"github.com/heed-robots/heed/internal/crawlernames"
	"github.com/heed-robots/heed/robotstxt"
)

// The JSON of changed preferences: crawlers with the same change are together, text that is not UTF-8 has its bytes beside it, and what
// is not proved has no witness.
func TestChangedPreferencesJSON(t *testing.T) {
	old := "User-agent: a\nUser-agent: b\nDisallow: /x\n"
	new := "User-agent: a\nContent-Usage: /\xe9 train-ai=n\nContent-Signal: /x search=no\nDisallow: /x\n\nUser-agent: b\nContent-Usage: /y train-ai=n\nDisallow: /x\n\nUser-agent: c\nUser-agent: d\nContent-Signal: ai-train=no\nAllow: /\n"
	got, err := json.Marshal(comparisonOf(old, new, nil).Preferences)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"result":"differs","changes":[` +
		`{"agents":["a"],"purpose":"train-ai","result":"differs","witness":"/%E9","old":{"preference":"unknown","by":[]},"new":{"preference":"disallowed","by":[{"carrier":"content-usage","line":2,"text":"Content-Usage: /� train-ai=n","text_b64":"Q29udGVudC1Vc2FnZTogL+kgdHJhaW4tYWk9bg=="}]}},` +
		`{"agents":["a"],"purpose":"search","result":"undecided"},` +
		`{"agents":["b"],"purpose":"train-ai","result":"differs","witness":"/y","old":{"preference":"unknown","by":[]},"new":{"preference":"disallowed","by":[{"carrier":"content-usage","line":7,"text":"Content-Usage: /y train-ai=n"}]}},` +
		`{"agents":["c","d"],"purpose":"train-ai","result":"differs","witness":"/","old":{"preference":"unknown","by":[]},"new":{"preference":"disallowed","by":[{"carrier":"content-signal","line":12,"text":"Content-Signal: ai-train=no"}]}}]}`
	if string(got) != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// Preferences of a comparison are absent if no file has one. They are not proved to be equal if not all crawlers were compared.
func TestComparedPreferences(t *testing.T) {
	if c := comparisonOf(oldFile, newFile, nil); c.Preferences != nil || c.Preferences.Is(compare.Equal) {
		t.Errorf("%+v", c.Preferences)
	}
	const signal = "User-agent: *\nContent-Signal: ai-train=no\nDisallow: /a\n"
	if c := comparisonOf(signal, signal, nil); !c.Preferences.Is(compare.Equal) || len(c.Preferences.Changes) > 0 {
		t.Errorf("%+v", c.Preferences)
	}
	incomplete := func(old, new *robotstxt.File) compare.FilesResult {
		r := compare.FilesFor(t.Context(), old, new, []string{"a"})
		r.Incomplete = true
		return r
	}
	c, err := comparisonBy(t.Context(), nil, incomplete, inputOf("a", signal, nil), inputOf("b", signal, nil), nil)
	if err != nil || !c.Preferences.Is(compare.Undecided) {
		t.Errorf("%+v, %v", c.Preferences, err)
	}
}

// A purpose token is not among the crawlers of a comparison, and its group is still proved.
func TestComparedTokens(t *testing.T) {
	const rest = "User-agent: *\nDisallow: /a\n\nUser-agent: Google-Extended\n"
	c := comparisonOf(rest+"Disallow: /\n", rest+"Allow: /\n", nil)
	if c.Result != "equal" || len(c.Purposes) == 0 || len(c.Preferences.Changes) != 1 || !c.Preferences.Changes[0].Token {
		t.Errorf("%+v", c)
	}
	for _, each := range c.Crawlers {
		if strings.Contains(fmt.Sprint(each.Agent), "Extended") {
			t.Errorf("%v is compared", each.Agent)
		}
	}
	if p := ProofOf(SameVerdicts, c); p.Result != Refuted || p.Crawlers[len(p.Crawlers)-1].Agent[0] != "Google-Extended" {
		t.Errorf("%+v", p)
	}
}

// A purpose token changes the preferences of crawlers of its operator that neither file names. Such a crawler is not listed again
// for what changes for an earlier crawler with the same groups.
func TestPreferencesOfOperators(t *testing.T) {
	const rest, token = "User-agent: *\nDisallow: /cart\n", "\nUser-agent: Google-Extended\nDisallow: /\n"
	for _, test := range []struct{ name, old, new, want string }{
		{"the token alone", rest, rest + token, "train-ai @AdsBot-Google Googlebot; train-ai Google-Extended"},
		{"two operators", rest, rest + token + "\nUser-agent: Applebot-Extended\nDisallow: /\n",
			"train-ai @AdsBot-Google Googlebot; train-ai Applebot:Googlebot; train-ai Google-Extended; train-ai Applebot-Extended"},
		{"a named crawler", rest + "\nUser-agent: bingbot\nUser-agent: googlebot\nDisallow: /a\n", rest + "\nUser-agent: bingbot\nUser-agent: googlebot\nDisallow: /a\n" + token,
			"train-ai googlebot @AdsBot-Google Storebot-Google; train-ai Google-Extended"},
		{"all crawlers", rest + token, rest + "Content-Signal: search=no\n" + token, "search *"},
		{"the token unchanged", rest + token, rest + token, ""},
	} {
		c, err := Compare(t.Context(), nil, inputOf("old", test.old, nil), inputOf("new", test.new, nil), nil)
		if err != nil {
			t.Fatal(err)
		}
		var changes []string
		for _, change := range c.Preferences.Changes {
			text := change.Purpose
			for _, agent := range change.Agents {
				text += " " + crawlernames.Name(agent)
			}
			changes = append(changes, text)
		}
		if got := strings.Join(changes, "; "); got != test.want {
			t.Errorf("%s: %s\nwant %s", test.name, got, test.want)
		}
	}
}

// A hostile file names many crawlers, with a change for each.
func TestManyChangedPreferences(t *testing.T) {
	var text strings.Builder
	for i := range maxChangedPreferences/3 + 4 { // each with three purposes
		name := strings.Map(func(r rune) rune { return r - '0' + 'a' }, fmt.Sprint(i))
		fmt.Fprintf(&text, "User-agent: x%s\nContent-Usage: /%d train-ai=n, search=n, ai-use=n\nDisallow: /a\n", name, i)
	}
	p := comparisonOf("User-agent: *\nDisallow: /a\n", text.String(), nil).Preferences
	if len(p.Changes) != maxChangedPreferences || p.More != 11 {
		t.Errorf("%d changes, %d more", len(p.Changes), p.More)
	}
}
