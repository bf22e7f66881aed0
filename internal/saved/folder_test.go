package saved

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/heed-robots/heed/internal/testing/portion"
)

func TestNames(t *testing.T) {
	for host, want := range map[string]string{
		"a.example":      "a.example a.example.txt a.example/robots.txt",
		"a.example:8080": "a.example:8080 a.example:8080.txt a.example:8080/robots.txt a.example%3A8080 a.example%3A8080.txt a.example%3A8080/robots.txt",
		"[::1]":          "[::1] [::1].txt [::1]/robots.txt [%3A%3A1] [%3A%3A1].txt [%3A%3A1]/robots.txt",
		"robots":         "robots robots/robots.txt",
		"b.txt":          "b.txt.txt b.txt/robots.txt",
		"b.gz":           "b.gz.txt b.gz/robots.txt",
		"b.bak":          "b.bak.txt b.bak/robots.txt",
		"b.com_robots":   "b.com_robots/robots.txt",
		"my_robots":      "my_robots my_robots.txt my_robots/robots.txt",
		"https_b.com":    "https_b.com/robots.txt",
		"http_b":         "http_b http_b.txt http_b/robots.txt",
	} {
		if got := filepath.ToSlash(strings.Join(names(host), " ")); got != want {
			t.Errorf("%s: %s", host, got)
		}
	}
	long := strings.Repeat(strings.Repeat("a", 63)+".", 4)[:253]
	if _, _, err := Find(t.TempDir(), long); !errors.Is(err, ErrNoFile) {
		t.Errorf("a long host: %v", err)
	}
}

// Find and List take the same file for each host: of random folders with files, folders, links and names of
// all kinds, each file is the robots.txt of a host in List if and only if Find finds it for that host.
func TestFindAndListAgree(t *testing.T) {
	portion.Skip(t, 4)
	if runtime.GOOS == "windows" {
		t.Skip("Windows allows no colon in the name of a file")
	}
	hosts := []string{"a.example", "a.example:8443", "a.example:80", "a.example:443", "b.example", "[::1]", "[::1]:81", "xn--bcher-kva.example", "localhost", "a.example.txt", "robots.txt", "robots", "lines.jsonl", "a.example_robots", "http_a.example", "b.bak"}
	others := []string{"A.example", "bücher.example", "a.example:08443", "README", ".a.example", "a b", "[%3A:1]", "a.example%3a81", "user@a.example", ".."}
	random := rand.New(rand.NewPCG(33, 1))
	used := 0
	for round := range 400 {
		dir := t.TempDir()
		for range random.IntN(14) {
			makeEntry(random, dir, hosts, others)
		}
		entries, err := List(dir)
		if err != nil {
			t.Fatal(err)
		}
		listed := map[string]string{}
		for _, e := range entries {
			if (e.Host == "") == (e.Unused == nil) || listed[e.Host] != "" && e.Host != "" {
				t.Errorf("round %d: %+v, next to %s", round, e, listed[e.Host])
			}
			listed[e.Host] = e.Path
		}
		for _, host := range hosts {
			want := listed[host]
			if colon := strings.LastIndexByte(host, ':'); want == "" && colon > strings.LastIndexByte(host, ']') {
				want = listed[host[:colon]]
			}
			got, _, err := Find(dir, host)
			if got != want || (err == nil) != (want != "") {
				t.Fatalf("round %d, %s: Find has %q, %v; List %q in\n%+v", round, host, got, err, want, entries)
			}
			if want != "" {
				used++
			}
		}
	}
	if used < 500 {
		t.Errorf("only %d of the hosts had a file", used)
	}
}

// makeEntry makes a file, a folder or a link in a folder, unless there is one.
func makeEntry(random *rand.Rand, dir string, hosts, others []string) {
	pick := func(all ...string) string { return all[random.IntN(len(all))] }
	name := pick(hosts...)
	if random.IntN(6) == 0 {
		name = pick(others...)
	}
	if random.IntN(3) == 0 {
		name = strings.ReplaceAll(name, ":", "%3A")
	}
	name += pick("", "", ".txt")
	path := filepath.Join(dir, name)
	switch random.IntN(8) {
	case 0, 1, 2, 3:
		os.WriteFile(path, nil, 0o600)
	case 4:
		os.MkdirAll(filepath.Join(path, pick("robots.txt", "other")), 0o700)
	case 5:
		os.Symlink(pick(hosts...), path)
	default:
		os.Mkdir(path, 0o700)
		os.WriteFile(filepath.Join(path, pick("robots.txt", "robots.txt", "other")), nil, 0o600)
	}
}

// What is not used is told, with the reason.
func TestUnused(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.example", "a.example.txt", "b.example%3A81.txt", "b.example%3A81", "README", ".hidden", "c.com_robots.txt", "c.com.txt.bak", "https_c.com.txt"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "deep"), 0o700); err != nil {
		t.Fatal(err)
	}
	entries, err := List(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, fmt.Sprint(filepath.Base(e.Path), " ", e.Host, " ", e.IsDir, " ", e.Unused))
	}
	want := []string{
		"README  false " + errHost.Error(),
		"a.example a.example false <nil>",
		"a.example.txt  false heed does not use this file, because a.example has the robots.txt of the same host",
		"b.example%3A81 b.example:81 false <nil>",
		"b.example%3A81.txt  false heed does not use this file, because b.example%3A81 has the robots.txt of the same host",
		"c.com.txt.bak  false " + errHost.Error(),
		"c.com_robots.txt  false " + errHost.Error(),
		"deep  true the folder has no file robots.txt, so heed does not use the folder",
		"https_c.com.txt  false " + errHost.Error(),
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s", strings.Join(got, "\n"))
	}
}
