package usage_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/heed-robots/heed/internal/testing/portion"
	"github.com/heed-robots/heed/usage"
)

// pieces are what pages in the test have, in any order.
var pieces = []string{
	"<meta", "<META", "<mEtA", "<metal", "<", ">", "/>", "/", " ", "\n", "\r\n", "\t", "\f", "\v", "=", `"`, "'", "!--", "-->", "<!--", "<script>", "</script>", "<title>", "</title>",
	"<textarea>", "</textarea>", "<style>", "</style>", "<plaintext>", "<![CDATA[", "]]>", "<p a='", "name", "NAME", "content", "robots", "ROBOTS", "examplebot", "otherbot", "name=robots", ` name="robots"`, " name='robots'",
	" content=", ` content="`, " content='", "noindex", "NoIndex", "noai", "none", "no", "index", "n", "o", "ai", ", ", ": ", "&", "&#110;", "&#x6f;", "&#X6F", "&#0000110;", "&#39;", "&#8217;", "&#4294967406;", "&amp;", "&#;", "&#x;",
	"tdm-reservation", "tdm-policy", "tdm&#45;reservation", "TDM-Reservation", "1", "0", "x", "description", "é", "\x00", "\xff", "x=y ", "a=\">\" ", "==", "\"=",
}

var elements = []string{"<meta name=robots content=", "<Meta content=\"", "<meta/name='robots'content='", "<meta a='>' name=\"robots\" content=\"", "<meta =\"a b=\"> \"name=robots content=", "<meta name=tdm-reservation content=", "<meta name=TDM-policy content=", "<meta name=\"t&#100;m-policy\" content=\"", "<meta name=examplebot content = '"}

var words = []string{"noindex", "NOAI", "none", "no&#73;ndex", "&#x6E;oml", "1", "\"noimageai\"", "'noai'", "index", "index", "index", "index", "index", "index", "index", "index"}

var ends = []string{">", "\">", "'>", ", x\">"}

// AI-14: the quick look at a page never overlooks a meta element that the page has.
func TestQuickLook(t *testing.T) {
	pages := 20_000
	if portion.Whole() {
		pages *= 100
	}
	quick, silent, random := 0, 0, rand.New(rand.NewPCG(rand.Uint64(), 1))
	policies := []*usage.Policy{usage.New(nil, usage.Options{}, "ExampleBot"), usage.New(nil, usage.Options{}, "OtherBot")}
	for range pages {
		var page strings.Builder
		piece := func(most int) {
			for range max(0, random.IntN(2*most+1)-most) {
				page.WriteString(pieces[random.IntN(len(pieces))])
			}
		}
		for range 2 {
			piece(4)
			page.WriteString(elements[random.IntN(len(elements))])
			piece(2)
			page.WriteString(words[random.IntN(len(words))])
			piece(1)
			page.WriteString(ends[random.IntN(len(ends))])
		}
		piece(8)
		text := []byte(page.String())
		for _, policy := range policies {
			got, want := policy.Check("/", true, usage.ReadResponse(nil, text)), policy.Check("/", true, usage.ReadAlways(text))
			if got != want {
				t.Fatalf("%q: %v, and the whole page says %v", text, got, want)
			}
			if want == (usage.Answer{}) {
				silent++
			}
		}
		reserved, terms := usage.TDM(nil, "/", usage.ReadResponse(nil, text))
		if want, wanted := usage.TDM(nil, "/", usage.ReadAlways(text)); reserved != want || terms != wanted {
			t.Fatalf("%q: %v, %q; the whole page says %v, %q", text, reserved, terms, want, wanted)
		}
		if !usage.MayHaveMeta(text) {
			quick++
		}
	}
	if quick < pages/20 || silent > 2*pages*97/100 {
		t.Errorf("of %d pages, %d need no tokenizer, and %d answers say nothing: the pages test nothing", pages, quick, silent)
	}
}

// The quick look is not needed for what says nothing, such as an apostrophe or "none" outside of a meta element, and has
// no more steps than the tokenizer about a hostile page.
func TestQuickLookDecides(t *testing.T) {
	for page, want := range map[string]bool{
		`<meta name="robots" content="index, follow"><p style="display:none">noindex`: false,
		`<meta name="description" content="It&#39;s &#x2019;and&#8217; &amp; more">`:  false,
		`<meta name="description" content="a > b" class=x><p title="noai">`:           false,
		`<metadata name="robots" content="x">`:                                        false,
		`<meta name="description" content="nonetheless">`:                             true,
		`<meta name=robots content="a > b, NoIndex">`:                                 true,
		`<meta name=robots content="n&#0000000000000000000000000000111;index">`:       true,
		`<meta name=robots content="no&#x49;ndex">`:                                   true,
		`<meta name="tdm-reservation" content="0">`:                                   true,
		strings.Repeat(`<meta a="`, 5000):                                             true,
		strings.Repeat(`<meta a="b">`, 5000):                                          false,
	} {
		if got := usage.MayHaveMeta([]byte(page)); got != want {
			t.Errorf("%.80q: %v, want %v", page, got, want)
		}
	}
	hostile := []byte(strings.Repeat(`<meta a='`, usage.MaxHTML/9))
	start := time.Now()
	for range 10 {
		usage.MayHaveMeta(hostile)
	}
	if took := time.Since(start); took > time.Second {
		t.Errorf("a hostile page takes %v", took/10)
	}
}
