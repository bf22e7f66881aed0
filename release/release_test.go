package main

import (
	"archive/zip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// put writes files into a new folder and returns it.
func put(t *testing.T, files map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	for name, text := range files {
		path := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// track makes a folder a git repository and adds its files.
func track(t *testing.T, folder string) {
	t.Helper()
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}} {
		c := exec.Command("git", args...)
		c.Dir = folder
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
}

// The packed module contains the files in git, and none of the modules in subfolders.
func TestPack(t *testing.T) {
	root := put(t, map[string]string{
		"go.mod":              "module " + module + "\n",
		"doc.go":              "package heed\n",
		"bench/go.mod":        "module " + module + "/bench\n",
		"bench/main.go":       "package main\n",
		"bench/sub/sub.go":    "package sub\n",
		"benchmark/main.go":   "package main\n",
		"examples/colly/a.go": "package main\n",
		"removed.go":          "package heed\n",
	})
	track(t, root)
	if err := os.WriteFile(filepath.Join(root, "untracked.go"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(root, "removed.go")); err != nil {
		t.Fatal(err)
	}
	proxy := t.TempDir()
	if err := pack(root, proxy); err != nil {
		t.Fatal(err)
	}
	served := filepath.Join(proxy, filepath.FromSlash(module), "@v")
	archive, err := zip.OpenReader(filepath.Join(served, version+".zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	var got []string
	for _, f := range archive.File {
		got = append(got, strings.TrimPrefix(f.Name, module+"@"+version+"/"))
	}
	slices.Sort(got)
	want := []string{"benchmark/main.go", "doc.go", "examples/colly/a.go", "go.mod"}
	if !slices.Equal(got, want) {
		t.Errorf("packed: %q, want %q", got, want)
	}
	for _, name := range []string{"list", version + ".info", version + ".mod"} {
		if _, err := os.Stat(filepath.Join(served, name)); err != nil {
			t.Error(err)
		}
	}
}

// checkFiles finds built programs and large files in git.
func TestCheckFiles(t *testing.T) {
	folder := put(t, map[string]string{
		"empty":     "",
		"short":     "M",
		"text.md":   "# Heed\n",
		"full.txt":  strings.Repeat("a", maxFile),
		"large.txt": strings.Repeat("a", maxFile+1),
		"linux":     "\x7fELF\x02\x01\x01\x00 and more",
		"windows":   "MZ\x90\x00\x03\x00\x00\x00 and more",
		"mac64":     "\xcf\xfa\xed\xfe\x07\x00\x00\x01 and more",
		"mac32":     "\xce\xfa\xed\xfe",
		"macboth":   "\xca\xfe\xba\xbe",
		"wasm":      "\x00asm\x01\x00\x00\x00",
		"archive.a": "!<arch>\n",
	})
	track(t, folder)
	for name, text := range map[string]string{"untracked": "\x7fELF"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	err := checkFiles(folder)
	if err == nil {
		t.Fatal("no error")
	}
	var got []string
	for line := range strings.SplitSeq(err.Error(), "\n") {
		path, _, _ := strings.Cut(line, ": ")
		got = append(got, filepath.Base(path))
	}
	slices.Sort(got)
	want := []string{"archive.a", "large.txt", "linux", "mac32", "mac64", "macboth", "wasm", "windows"}
	if !slices.Equal(got, want) {
		t.Errorf("wrong are %q, want %q", got, want)
	}
}

// Heed itself is not counted, and neither are modules without sources in the cache.
func TestDownloaded(t *testing.T) {
	folder := put(t, map[string]string{
		"cache/download/" + module + "/@v/" + version + ".zip": "",
		"cache/download/example.com/a/@v/v1.0.0.zip":           "",
		"cache/download/example.com/b/@v/v1.0.0.mod":           "",
		"cache/download/" + module + "er/@v/v1.0.0.zip":        "",
	})
	got, err := downloaded(folder)
	want := []string{"example.com/a/@v/v1.0.0.zip", module + "er/@v/v1.0.0.zip"}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
}

// The licence texts are those of the modules, and of the folders in them that are used.
func TestLicenceTexts(t *testing.T) {
	root := put(t, map[string]string{
		"a/LICENSE":           "licence of a\n",
		"a/NOTICE":            "notice of a\n",
		"a/license.go":        "package a\n",
		"a/used/COPYING":      "licence of used\n",
		"a/used/deep/deep.go": "package deep\n",
		"a/unused/LICENSE":    "licence of unused\n",
		"b/b.go":              "package b\n",
		"b/in/LICENSE":        "licence of a part\n",
		"c/SQLITE-LICENSE":    "licence of c\n",
	})
	at := func(name string) string { return filepath.Join(root, filepath.FromSlash(name)) }
	a, c := linked{"a v1", at("a"), at("a/used/deep")}, linked{"c v1", at("c"), at("c")}
	got, err := licenceTexts([]linked{c, a, a})
	if err != nil {
		t.Fatal(err)
	}
	rest := string(got)
	for _, want := range []string{"a v1: LICENSE\n\nlicence of a\n", "a v1: NOTICE\n\nnotice of a\n", "a v1: used/COPYING\n\nlicence of used\n", "c v1: SQLITE-LICENSE\n\nlicence of c\n"} {
		_, after, ok := strings.Cut(rest, want)
		if !ok {
			t.Errorf("%q is missing, or in another order", want)
			continue
		}
		rest = after
	}
	if strings.Contains(string(got), "unused") || strings.Contains(string(got), "package a") {
		t.Errorf("more than is needed:\n%s", got)
	}
	if _, err := licenceTexts([]linked{{"b v1", at("b"), at("b/in")}}); err == nil {
		t.Error("a module without a licence in its root folder: no error")
	}
}

// A go.mod has modules after "require" and in blocks; a go.sum also has lines for the go.mod of modules.
func TestNotIn(t *testing.T) {
	lines := "module m\n\nrequire a.example/x v1.0.0\n\nrequire (\n\tb.example/y v1.0.0 // indirect\n\tc.example/z v0.1.0\n)\n" +
		"d.example/v v1.0.0 h1:abc=\nd.example/w v1.0.0/go.mod h1:abc=\n"
	got := notIn(map[string]bool{"c.example/z": true}, lines)
	if want := []string{"a.example/x", "b.example/y", "d.example/v"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
