package cli

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/heed-robots/heed/cmd/heed/internal/exit"
	"github.com/heed-robots/heed/cmd/heed/internal/sites"
	"github.com/heed-robots/heed/internal/testing/portion"
	"github.com/heed-robots/heed/store/sqlite"
)

// lockStore makes a database in a folder if there is none, and keeps it locked until the test ends.
func lockStore(t *testing.T, folder string) {
	t.Helper()
	ctx, path := context.Background(), filepath.Join(folder, sites.StoreFile)
	store, err := sqlite.Open(path, sqlite.Options{})
	if err == nil {
		err = store.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	other, err := db.Conn(ctx)
	if err == nil {
		_, err = other.ExecContext(ctx, "BEGIN IMMEDIATE")
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { other.Close() })
}

// heed check answers within three seconds while another process keeps the database locked,
// and one notice reports that the cache does not work.
func TestCheckAnswersWhileStoreIsLocked(t *testing.T) {
	portion.Skip(t, 4)
	t.Parallel()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, "User-agent: *\nDisallow: /x\n")
	}))
	defer site.Close()
	folder := t.TempDir()
	lockStore(t, folder)
	for _, more := range [][]string{nil, {"--refresh"}} {
		args := append([]string{"check", "-a", "ExampleBot", "--allow-private", "--store", folder, site.URL + "/x"}, more...)
		var stdout, stderr strings.Builder
		begin := time.Now()
		status := Run(args, strings.NewReader(""), &stdout, &stderr)
		took := time.Since(begin)
		if status != exit.Disallowed || !strings.Contains(stdout.String(), "line 2: Disallow: /x") {
			t.Errorf("%v: status %d, %s", more, status, stdout.String())
		}
		if n := strings.Count(stderr.String(), "the cache does not work: "); n != 1 {
			t.Errorf("%v: standard error: %s", more, stderr.String())
		}
		fmt.Fprintf(t.Output(), "%v: %s, %s", more, took, stderr.String())
		if took > 3*time.Second {
			t.Errorf("%v: it took %s", more, took)
		}
	}
}

// heed diff --since-stored does not say that a file is cached if it could not be written.
func TestSinceStoredWhileStoreIsLocked(t *testing.T) {
	portion.Skip(t, 4)
	t.Parallel()
	site, folder := newChangingSite(t, before), t.TempDir()
	site.run(t, folder, "diff", "--live", site.URL, "--since-stored")
	site.body = after
	lockStore(t, folder)
	status, out, notices := site.run(t, folder, "diff", "--live", site.URL, "--since-stored")
	if status != exit.Usage || !strings.Contains(out, "The verdicts differ") ||
		!strings.Contains(notices, "SITE/robots.txt could not be cached, so the next run will compare with the same old robots.txt again: ") {
		t.Errorf("status %d, %s%s", status, out, notices)
	}
	folder = t.TempDir()
	lockStore(t, folder)
	status, out, notices = site.run(t, folder, "diff", "--live", site.URL, "--since-stored")
	if status != exit.Usage || out != "" || !strings.Contains(notices, "SITE/robots.txt could not be cached: ") || strings.Contains(notices, "is cached now") {
		t.Errorf("status %d, %s%s", status, out, notices)
	}
}
