package archive

import (
	"bytes"
	"database/sql"
	_ "embed"
	"flag"
	"os"
	"path/filepath"
	"testing"
)

//go:embed schema.sql
var schema string

var writeEmpty = flag.Bool("write-empty", false, "write empty.heed: archives with another head are refused then")

// empty.heed is what SQLite makes of schema.sql. It has no check sums, so a file that is not finished is no archive.
func TestEmpty(t *testing.T) {
	path := filepath.Join(t.TempDir(), "empty.heed")
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	if _, err := db.Exec(schema + "VACUUM INTO 'file:" + path + "?reserve=4'"); err != nil {
		t.Fatal(err)
	}
	made, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if *writeEmpty {
		if err := os.WriteFile("empty.heed", made, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	const changed, end = 92, 100 // the version of SQLite is here
	copy(made[changed:end], empty[changed:end])
	if !bytes.Equal(made, empty) {
		t.Error("SQLite makes something else of schema.sql than empty.heed; -write-empty writes it anew")
	}
}
