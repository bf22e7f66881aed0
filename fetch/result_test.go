package fetch

import (
	"errors"
	"strings"
	"testing"
	"unsafe"

	"github.com/heed-robots/heed/robotstxt"
)

// after more redirects than a dialect follows, a local failure is still unreachable.
// After a failure of the site the Outcome is that of too many redirects.
func TestLocalFailureAfterManyRedirects(t *testing.T) {
	for kind, want := range map[FailureKind]Outcome{LocalFailure: Unreachable, AddressRefused: Unreachable, HostRefused: Unreachable, HostBusy: Unreachable, TimedOut: Unavailable} {
		r := Result{Hops: make([]Hop, 8), Err: &Failure{Kind: kind}}
		for i := range 7 {
			r.Hops[i].Status = 301
		}
		if got := r.Outcome(robotstxt.RFC9309); got != want {
			t.Errorf("%s: %s, want %s", kind, got, want)
		}
	}
}

// The text of a failure contains no control characters, even if a certificate does.
func TestFailureTextIsPrintable(t *testing.T) {
	hostile := errors.New("certificate is valid for x\x1b]0;own\a.example\u202e\u009b\n, not a.example")
	want := `certificate is valid for x\x1b]0;own\x07.example\u{202e}\x9b\x0a, not a.example`
	if got := NewFailure(hostile).Error(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := NewFailure(errors.New(strings.Repeat("\x1b", 1000))).Error(); len(got) > maxFailureText+len("…") {
		t.Errorf("%d bytes", len(got))
	}
}

// The files of a result use its body without a copy.
func TestFilesShareTheBody(t *testing.T) {
	r := Result{Status: 200, Body: []byte("User-agent: *\nDisallow: /a\n# " + strings.Repeat("-", 600<<10) + "\nDisallow: /b\n")}
	for _, d := range robotstxt.Dialects() {
		file := r.File(d)
		for line := range file.Lines() {
			if unsafe.StringData(line.Raw) != &r.Body[0] {
				t.Errorf("%s: the body is copied", d)
			}
			break
		}
		for _, path := range []string{"/a", "/b"} { // a file of more than 500 KiB is used to its end
			if file.Agent("x").Check(path).Allowed {
				t.Errorf("%s allows %s", d, path)
			}
		}
	}
	if empty := (&Result{Status: 200}).File(nil); !empty.Agent("x").Check("/a").Allowed {
		t.Error("an empty body disallows something")
	}
}
