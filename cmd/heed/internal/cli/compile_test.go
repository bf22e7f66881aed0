package cli

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Damage of an archive is counted, named, and costs only what it touches.
func TestCompileDamaged(t *testing.T) {
	dir := t.TempDir()
	name := func(s string) string { return filepath.Join(dir, s) }
	var urls strings.Builder
	run := func(want int, args ...string) string {
		t.Helper()
		var out, errs bytes.Buffer
		if got := Run(args, strings.NewReader(urls.String()), &out, &errs); got != want {
			t.Fatalf("heed %q: exit status %d, expected %d\n%s", args, got, want, errs.String())
		}
		return out.String() + errs.String()
	}
	heed := func(want int, args ...string) string {
		t.Helper()
		return run(want, append([]string{"compile"}, args...)...)
	}
	var lines strings.Builder
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 10 {
		path := make([]byte, 10_000) // several pages, also when it is compressed
		for j := range path {
			path[j] = 'a' + byte(rng.IntN(26))
		}
		fmt.Fprintf(&lines, `{"origin":"https://%d.example","body":"Disallow: /%s\n","fetched":"2024-05-01T00:00:00Z"}`+"\n", i, path)
		fmt.Fprintf(&urls, "https://%d.example/\n", i)
	}
	if err := os.WriteFile(name("lines"), []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	heed(0, name("lines"), "-o", name("a"))
	data, err := os.ReadFile(name("a"))
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)/2] ^= 1
	if err := os.WriteFile(name("damaged"), data, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		says string
		got  string
	}{
		{name("damaged") + ": https://3.example/robots.txt: the archive is damaged: make it again from its sources with heed compile: the checksum of the page at byte ", heed(2, "--verify", name("damaged"))},
		{"; 1 of the 10 captures in the archive cannot be read", heed(2, "--verify", name("damaged"))},
		{"9 captures of 9 URLs", heed(0, name("damaged"), "-o", name("b"))},
		{"1 record of the sources rejected:\nheed compile:   " + name("damaged") + ": https://3.example/robots.txt: the archive is damaged", heed(3, "--strict", name("damaged"), "-o", name("b"))},
		{"9 allowed, 0 disallowed, 1 unknown", run(2, "filter", "-a", "x", "--robots", name("damaged"))}, // after all rows
		{"unknown because: 1 archive-damaged\nheed filter: " + name("damaged") + ": the archive is damaged: make it again from its sources", run(2, "filter", "-a", "x", "--robots", name("damaged"))},
		{"no damage", heed(0, "--verify", name("b"))},
	} {
		if !strings.Contains(test.got, test.says) {
			t.Errorf("expected %q in %q", test.says, test.got)
		}
	}
}
