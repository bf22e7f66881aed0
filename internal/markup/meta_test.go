package markup

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// metasOf returns the meta elements by Metas.
func metasOf(page []byte) (all []string) {
	Metas(page, func(name, content string) { all = append(all, fmt.Sprintf("%q=%q", name, content)) })
	return all
}

// metasByNet returns them by golang.org/x/net/html.
func metasByNet(page []byte) (all []string) {
	z := html.NewTokenizer(bytes.NewReader(page))
	for z.Next() != html.ErrorToken {
		token := z.Token()
		if token.Data != "meta" || token.Type != html.StartTagToken && token.Type != html.SelfClosingTagToken {
			continue
		}
		values := map[string]string{}
		for _, a := range token.Attr {
			if _, again := values[a.Key]; !again {
				values[a.Key] = a.Val
			}
		}
		if name := strings.ToLower(strings.Trim(values["name"], Space)); name != "" {
			all = append(all, fmt.Sprintf("%q=%q", name, values["content"]))
		}
	}
	return all
}

// AI-13, AI-14: random pages have the meta elements that golang.org/x/net/html finds.
func TestMetasAsOthers(t *testing.T) {
	parts := strings.Split("<meta name=robots content=noindex>|<meta |name=|content=|'|\"|>|/>|<|</|<!--|-->|--!>|--|-|!|<!|<?|=|/| |\n|\t|<script>|</script>|<script|</script|<style>|</style>|"+
		"<title>|</title>|<textarea>|</textarea x>|<p a='>'>|</p>|&#105;|&#x69;|&#105|&#X69|&amp;|&comma;|&lowbar;|&VerticalLine;|&Tab;|&#65;|&#x;|&|;|noai|robots|NAME|Content|<b>|a|<plaintext>|<noscript>|</noscript>|<meta name='robots' content=\"noai\"/>", "|")
	random := rand.New(rand.NewPCG(7, 7))
	found := 0
	for range 100_000 {
		var page strings.Builder
		for range random.IntN(14) {
			page.WriteString(parts[random.IntN(len(parts))])
		}
		text := []byte(page.String())
		got, want := metasOf(text), metasByNet(text)
		if !slices.Equal(got, want) {
			t.Fatalf("%q has %s, want %s", text, got, want)
		}
		found += len(got)
	}
	if found < 10_000 {
		t.Errorf("the pages have only %d meta elements", found)
	}
}

func FuzzMetas(f *testing.F) {
	f.Add([]byte("<!doctype html><head><META Name = robots content='no&#105;ndex'/><script><!--<script></script>--></script>"))
	f.Fuzz(func(t *testing.T, page []byte) { metasOf(page) })
}

func BenchmarkMetas(b *testing.B) {
	page := []byte("<!doctype html><html><head><title>A page</title>" + strings.Repeat(`<meta name="description" content="some text"><link rel="x" href="/y">`+"\n", 20) +
		"</head><body>" + strings.Repeat(`<div class="a b"><a href="/x?y=z">A link</a> and some text, which is longer than a few words.</div>`+"\n", 600))[:64<<10]
	for name, metas := range map[string]func([]byte) []string{"ours": metasOf, "net": metasByNet} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(page)))
			for b.Loop() {
				metas(page)
			}
		})
	}
}

// A character reference with a number may end before a letter.
func TestNumbersBeforeLetters(t *testing.T) {
	for _, content := range []string{"no&#105ndex", "n&#111oai", "&#x6Eoindex", "&#X6eone", "&#x6g", "&#x", "&#", "&#xg;", "&#105", "&#0110o;"} {
		page := []byte("<meta name=robots content='" + content + "'>")
		if got, want := metasOf(page), metasByNet(page); !slices.Equal(got, want) {
			t.Errorf("%s: %s, want %s", content, got, want)
		}
	}
}
