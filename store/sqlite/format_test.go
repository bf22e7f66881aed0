package sqlite_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"testing"

	"github.com/heed-robots/heed/cache/storetest"
	"github.com/heed-robots/heed/origin"
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

func TestNewerFormat(t *testing.T) {
	file := filepath.Join(t.TempDir(), "heed.db")
	s := open(t, file)
	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	head := func(o origin.Origin) (head string) {
		if err := db.QueryRow("SELECT head FROM origins WHERE origin = ?", o.String()).Scan(&head); err != nil {
			t.Error(err)
		}
		return head
	}
	storetest.RunNewerFormat(t, s, head, func(o origin.Origin, head string) {
		if _, err := db.Exec("UPDATE origins SET head = ? WHERE origin = ?", head, o.String()); err != nil {
			t.Error(err)
		}
	})
}
