package build

import (
	"runtime/debug"
	"testing"

	"github.com/heed-robots/heed/robotstxt"
)

// The version is found for the command itself and for programs that import Heed.
func TestOf(t *testing.T) {
	ours := func(v string) debug.Module { return debug.Module{Path: module, Version: v} }
	other := debug.Module{Path: "example.com/crawler", Version: "v9.9.9"}
	for _, c := range []struct {
		name string
		info debug.BuildInfo
		want string
	}{
		{"the command", debug.BuildInfo{Main: ours("v0.3.0")}, "v0.3.0"},
		{"the command, from a folder", debug.BuildInfo{Main: ours("(devel)")}, Development},
		{"a crawler", debug.BuildInfo{Main: other, Deps: []*debug.Module{{Path: module, Version: "v0.3.0"}}}, "v0.3.0"},
		{"a crawler with a fork", debug.BuildInfo{Main: other, Deps: []*debug.Module{
			{Path: module, Version: "v0.3.0", Replace: &debug.Module{Path: "example.com/fork", Version: "v0.3.1"}}}}, "v0.3.1"},
		{"a crawler with a folder", debug.BuildInfo{Main: other, Deps: []*debug.Module{
			{Path: module, Version: "v0.3.0", Replace: &debug.Module{Path: "../heed"}}}}, Development},
		{"a test", debug.BuildInfo{Main: ours("")}, Development},
		{"something else", debug.BuildInfo{Main: other}, Development},
	} {
		if got := versionIn(&c.info); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// the header contains a product token for every version.
func TestUserAgent(t *testing.T) {
	for version, want := range map[string]string{
		"v0.3.0":    "heed/0.3.0 (+https://github.com/heed-robots/heed)",
		Development: "heed (+https://github.com/heed-robots/heed)",
		"v0.0.0-20261121180000-0123456789ab+dirty": "heed/0.0.0-20261121180000-0123456789ab+dirty (+https://github.com/heed-robots/heed)",
	} {
		got := userAgent(version)
		if got != want {
			t.Errorf("%s: %s, want %s", version, got, want)
		}
		if token, ok := robotstxt.ProductToken(got); !ok || token != "heed" {
			t.Errorf("%s: the token %q", got, token)
		}
	}
}
