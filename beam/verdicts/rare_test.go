package verdicts

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestRareSources: what random sources seldom have.
func TestRareSources(t *testing.T) {
	folder := t.TempDir()
	ofFiles := filepath.Join(folder, "hosts")
	var source, list strings.Builder
	var want []string
	add := func(url, verdict string) {
		fmt.Fprintln(&list, url)
		want = append(want, url+"\t"+verdict+"\n")
	}
	for i := range 20 { // one worker gets empty files and others, in any order
		host := fmt.Sprintf("https://h%d.example", i)
		if i%2 == 0 {
			fmt.Fprintf(&source, `{"origin":%q,"body":""}`+"\n", host)
			add(host+"/x", "allowed\tno-group\t\t")
		} else {
			fmt.Fprintf(&source, `{"origin":%q,"body":"User-agent: *\nDisallow: /%d\n"}`+"\n", host, i)
			add(host+"/x", "allowed\tno-rule-matched\t\t")
		}
	}
	const chain = 5
	for i := range chain { // redirects to URLs that are no robots.txt, in a chain
		from := fmt.Sprintf("https://chain.example/%d", i)
		if i == 0 {
			from = "https://first.example/robots.txt"
		}
		fmt.Fprintf(&source, `{"url":%q,"status":302,"location":"https://chain.example/%d"}`+"\n", from, i+1)
	}
	fmt.Fprintf(&source, `{"url":"https://chain.example/%d","body":"User-agent: *\nDisallow: /\n"}`+"\n", chain)
	add("https://first.example/x", "disallowed\trule\t2\tDisallow: /")
	fmt.Fprintln(&source, `{"origin":"https://html.example","body":"<!DOCTYPE html><html><body>x</body></html>"}`)
	add("https://html.example/x", "disallowed\tunreachable\t\t")
	// The file of a port that is the default of another scheme.
	for _, port := range []string{"80", "443"} {
		name := filepath.Join(ofFiles, "port"+port+".example:"+port)
		if err := os.MkdirAll(ofFiles, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte("User-agent: *\nDisallow: /\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	add("https://port80.example:80/x", "disallowed\trule\t2\tDisallow: /")
	add("http://port80.example/x", "unknown\tno-capture\t\t")
	add("http://port443.example:443/x", "disallowed\trule\t2\tDisallow: /")

	w := &world{folder: folder}
	o := Options{
		Crawlers: ccbot, Dialects: rfc9309, Times: now, To: filepath.Join(folder, "v"), Shards: 1, PagesUnreachable: true,
		Sources: []string{w.write(t, "source*.jsonl", source.String()), ofFiles},
		Lists:   []string{w.write(t, "list*", list.String())},
	}
	run(t, o)
	slices.Sort(want)
	if got := rowsOf(t, o); !slices.Equal(got, want) {
		t.Errorf("%d rows of %d; the first that differs: %s", len(got), len(want), firstDifference(got, want))
	}
	if s := summaryOf(t, o); s.Files != 2 || len(s.Unknown) != 1 || s.Unknown["no-capture"] != 1 {
		t.Errorf("%+v", s)
	}
}
