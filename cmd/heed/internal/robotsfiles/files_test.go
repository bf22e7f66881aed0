package robotsfiles

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/heed-robots/heed/robotstxt"
)

// fileOf returns the robots.txt of a path.
func fileOf(t *testing.T, r *Files, path string, now time.Time) *File {
	t.Helper()
	return r.Get(Key{Kind: Named, Text: path, Dialect: robotstxt.RFC9309}, now)
}

func write(t *testing.T, path, body string, modified time.Time) {
	t.Helper()
	if err := os.WriteFile(path, []byte(body), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, modified, modified); err != nil {
		t.Fatal(err)
	}
}

// A file is read once. After a second it is read again if it has changed, if it is gone, or if
// it was modified shortly before it was read.
func TestChangedFileIsReadAgain(t *testing.T) {
	var r Files
	path := filepath.Join(t.TempDir(), "robots.txt")
	now := time.Now()
	old := now.Add(-time.Hour)
	write(t, path, "# one", old)
	first := fileOf(t, &r, path, now)
	if first.Err != nil || first != fileOf(t, &r, path, now.Add(statInterval-1)) || first != fileOf(t, &r, path, now.Add(statInterval)) {
		t.Errorf("a file that does not change is read twice: %v", first.Err)
	}
	write(t, path, "# two!", old)
	if first != fileOf(t, &r, path, now.Add(2*statInterval-1)) {
		t.Error("a file is read twice within a second")
	}
	second := fileOf(t, &r, path, now.Add(2*statInterval))
	if second == first {
		t.Error("a file with another size is not read again")
	}
	write(t, path, "# tri!", time.Now())
	third := fileOf(t, &r, path, now.Add(3*statInterval))
	if third == second || fileOf(t, &r, path, now.Add(4*statInterval)) == third {
		t.Error("a file that was just modified is not read again")
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if gone := fileOf(t, &r, path, now.Add(6*statInterval)); gone.Err == nil || gone != fileOf(t, &r, path, now.Add(8*statInterval)) {
		t.Errorf("a file that is gone: %v", gone.Err)
	}
	write(t, path, "# back", old)
	if back := fileOf(t, &r, path, now.Add(10*statInterval)); back.Err != nil {
		t.Error(back.Err)
	}
}

// The memory of Files has a limit. The most recently used file stays, even if it alone
// is larger.
func TestFilesAreEvicted(t *testing.T) {
	r := Files{MaxBytes: 1 << 20}
	key := func(i int) Key {
		return Key{Kind: InText, Text: fmt.Sprintf(`"# %d %s"`, i, strings.Repeat("x", 50_000)), Dialect: robotstxt.RFC9309}
	}
	now := time.Now()
	kept := r.Get(key(0), now)
	for i := range 100 {
		r.Get(key(i), now)
		if kept != r.Get(key(0), now) {
			t.Fatalf("the most recently used file is gone after %d", i)
		}
	}
	if n := r.order.Len(); r.bytes > r.MaxBytes || n < 5 || n > 20 || len(r.byKey) != n {
		t.Errorf("%d files of %d bytes, want at most %d", n, r.bytes, r.MaxBytes)
	}
	for i := range 500 {
		if _, err := r.Crawler(kept, fmt.Sprintf(`"agent%s"`, strings.Repeat("a", i))); err != nil {
			t.Fatal(err)
		}
	}
	if len(kept.crawlers) > 256 {
		t.Errorf("%d crawlers are kept", len(kept.crawlers))
	}
	r.Get(Key{Kind: InText, Text: `"` + strings.Repeat("x", 2<<20) + `"`, Dialect: robotstxt.RFC9309}, now)
	if r.order.Len() != 1 {
		t.Errorf("%d files next to one that is too large", r.order.Len()-1)
	}
}

// Several goroutines get the same file. It is parsed once.
func TestFileIsParsedOnce(t *testing.T) {
	var r Files
	var got [8]*File
	done := make(chan bool)
	for i := range got {
		go func() {
			got[i] = r.Get(Key{Kind: InText, Text: `"User-agent: *\nDisallow: /"`, Dialect: robotstxt.RFC9309}, time.Now())
			for range 100 {
				if c, err := r.Crawler(got[i], `["a","b"]`); err != nil || c.Policy.Check("/").Allowed {
					t.Errorf("%v", err)
				}
				runtime.Gosched()
			}
			done <- true
		}()
	}
	for range got {
		<-done
	}
	for _, f := range got {
		if f != got[0] {
			t.Error("parsed twice")
		}
	}
}
