package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func write(t *testing.T, name string, lines ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(strings.Join(append(lines, ""), "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestDifferences: a list may have a line twice, also with another between.
func TestDifferences(t *testing.T) {
	list := write(t, "list", "a", "b", "a", "a", "c", "d")
	truth := write(t, "truth", "a", "a", "a", "d")
	other := write(t, "other", "b", "c", "d")
	allowed, denied, err := differences(list, truth, other)
	if allowed != 2 || denied != 3 || err != nil {
		t.Error(allowed, denied, err)
	}
	if _, _, err := differences(list, truth, write(t, "wrong", "x")); err == nil {
		t.Error("a line that is not in the list is no error")
	}
}

// TestCeiling: it writes all lines with a host, in their order, also where a block ends within a line.
func TestCeiling(t *testing.T) {
	var lines []string
	for i := range 20_000 {
		lines = append(lines, "https://a.example/"+strings.Repeat("x", i%97))
	}
	var out bytes.Buffer
	if err := ceiling(write(t, "list", append(lines, "no URL")...), &out); err != nil {
		t.Fatal(err)
	}
	if want := strings.Join(lines, "\n") + "\n"; out.String() != want {
		t.Errorf("%d octets, want %d", out.Len(), len(want))
	}
}

func TestHostOf(t *testing.T) {
	for line, want := range map[string]string{
		"https://a.example/b\n": "a.example", `{"url":"http://b.example"}`: "b.example", "https://c.example?d": "c.example",
		"https://e.example": "e.example", "none\n": "",
	} {
		if got := hostOf(line); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}

func TestNumber(t *testing.T) {
	for n, want := range map[float64]string{0: "0", 7: "7", 999: "999", 1000: "1,000", 1234567.4: "1,234,567"} {
		if got := number(n); got != want {
			t.Errorf("%g: %q, want %q", n, got, want)
		}
	}
}

func TestPathOf(t *testing.T) {
	for url, want := range map[string]string{
		"https://a.example": "/", "https://a.example/b?c=d#e": "/b?c=d", `https://a.example/"`: "/",
	} {
		if got := pathOf(url); got != want {
			t.Errorf("%q: %q, want %q", url, got, want)
		}
	}
}
