package sqlite

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// creating is held while a file is made and closed: to close a file ends the
// locks that SQLite has on it in the same process.
var creating sync.Mutex

// createFile makes the file of a database where there is none, which SQLite
// would let others read, and returns its whole path.
func createFile(path string) (string, error) {
	if path == "" {
		return "", errors.New("the path of the database is empty")
	}
	file, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return "", err
	}
	creating.Lock()
	defer creating.Unlock()
	f, err := os.OpenFile(file, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		return file, f.Close()
	}
	if !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	info, err := os.Stat(file)
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("this is a folder or a device: name a file")
	}
	return file, err
}

// A kind of connection is what its parameters are.
type kind url.Values

// patience is how long a call waits for the lock that another process holds.
const patience = 10 * time.Second

// openPatience is how long Open and readers do, for whom somebody waits. It is
// changed by tests only.
var openPatience = 2 * time.Second

var (
	// SQLite heeds no context while it waits for a lock, so a writer waits for a
	// moment at a time (see retry).
	writing = kind{
		"_busy_timeout": {"100"},
		"_txlock":       {"immediate"},
		"_synchronous":  {"FULL"},
		"_foreign_keys": {"1"},
	}

	// Readers wait for nobody, but for a moment when the file is recovered after
	// a crash or the last other process closes it.
	reading = kind{
		"_busy_timeout": {fmt.Sprint(openPatience.Milliseconds())},
		"_query_only":   {"1"},
	}
)

// dsn returns what a file is opened by: a URI, since a path could not hold "?".
func dsn(file string, k kind) string {
	path := filepath.ToSlash(file)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // C:/…
	}
	query := url.Values(k).Encode() +
		"&mode=rw" + // or a file that was deleted would come back, empty
		"&_pragma=mmap_size(0)" + // or a disk that fails would be a crash, not an error
		"&_error_rc=1" // or errors would come with the text of others
	return (&url.URL{Scheme: "file", Path: path, RawQuery: query}).String()
}

const (
	applicationID = 0x48656564
	userVersion   = 1
)

//go:embed schema.sql
var schema string

// prepareDatabase makes the tables, where they are not there, and sees that the
// database is one of ours and can be written to. One that is bounded gets an index
// more.
func prepareDatabase(db *sql.DB, bounded bool) error {
	ctx := context.Background()
	// Many processes may do this to a new file at once.
	err := retry(ctx, openPatience, func() error {
		empty, err := isNew(ctx, db)
		if err != nil {
			return err // before anything is changed
		}
		if err := useWAL(ctx, db); err != nil || !empty {
			return err
		}
		return inTransaction(ctx, db, func(tx *sql.Tx) error { return makeTables(ctx, tx) })
	})
	if err != nil {
		return err
	}
	query := "DELETE FROM origins WHERE 0" // an error where the file can only be read, as BEGIN is not
	if bounded {
		query += "; " + indexAsked
	}
	err = inTransaction(ctx, db, func(tx *sql.Tx) error { return exec(ctx, tx, query) })
	if isLocked(err) {
		return nil // somebody else writes: nobody need wait for that now
	}
	return err
}

// useWAL lets readers and a writer use the file at once. It needs no lock where
// that is so already.
func useWAL(ctx context.Context, db *sql.DB) error {
	var mode string
	for _, query := range []string{"PRAGMA journal_mode", "PRAGMA journal_mode = WAL"} {
		err := db.QueryRowContext(ctx, query).Scan(&mode)
		if err != nil || mode == "wal" {
			return err
		}
	}
	return fmt.Errorf("the file system cannot share memory (journal mode %s): choose a path on a local disk", mode)
}

func makeTables(ctx context.Context, tx *sql.Tx) error {
	empty, err := isNew(ctx, tx)
	if err != nil || !empty { // somebody else was faster
		return err
	}
	return exec(ctx, tx, schema)
}

func inTransaction(ctx context.Context, db *sql.DB, do func(*sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // nothing is left to undo after the Commit
	if err := do(tx); err != nil {
		return err
	}
	return tx.Commit()
}

func exec(ctx context.Context, tx *sql.Tx, query string) error {
	_, err := tx.ExecContext(ctx, query)
	return err
}

// isNew reports whether a database is empty. Its error is about one that is
// not ours.
func isNew(ctx context.Context, db interface {
	QueryRowContext(context.Context, string, ...any) *sql.Row
}) (bool, error) {
	var application, version, objects int64
	err := db.QueryRowContext(ctx, `SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema)
		FROM pragma_application_id, pragma_user_version`).Scan(&application, &version, &objects)
	switch {
	case err != nil:
		return false, err
	case application == 0 && version == 0 && objects == 0:
		return true, nil
	case application != applicationID:
		return false, errors.New("this is a database of another program: name another file")
	case version != userVersion:
		return false, fmt.Errorf("the database has the format %d, which a newer version made; this one reads %d: update, or name another file", version, userVersion)
	}
	return false, nil
}
