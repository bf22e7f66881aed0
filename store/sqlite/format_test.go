package sqlite_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/heed-robots/heed/cache/storetest"
)

// a file with records of format 1 is opened, and its records are not used.
func TestOldFormat(t *testing.T) {
	text, err := os.ReadFile("testdata/records-1.sqlite")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "heed.db")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	storetest.RunOldFormat(t, open(t, path))
}
