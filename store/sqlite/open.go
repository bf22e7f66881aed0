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

// creating is locked while createFile makes a file. So nobody in this process can use the file before createFile has
// closed it. The reason: closing a file releases all SQLite locks that this process has on the file.
var creating sync.Mutex

// createFile makes the file itself, because other users could read a file that SQLite makes.
func createFile(file string) error {
	if file == "" {
		return errors.New("the path of the database is empty; expected the name of a file")
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	creating.Lock()
	defer creating.Unlock()
	f, err := os.OpenFile(file, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		return f.Close()
	}
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	info, err := os.Stat(file)
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("the name is that of a folder or a device: expected the name of a file")
	}
	return err
}

const writeTimeout = 10 * time.Second

// openTimeout is short, because answers of a cache wait for Open and for reads.
var openTimeout = 2 * time.Second

var (
	// While SQLite waits for a lock, it does not see the end of a context. So the function retry calls SQLite every
	// 100 ms.
	writerParameters = url.Values{
		"_busy_timeout": {"100"},
		"_txlock":       {"immediate"},
		"_synchronous":  {"FULL"},
		"_foreign_keys": {"1"},
	}

	// Readers wait only if the file is being recovered after a crash, or if the last other process is closing it.
	readerParameters = url.Values{
		"_busy_timeout": {fmt.Sprint(openTimeout.Milliseconds())},
		"_query_only":   {"1"},
	}
)

// The driver needs a URI, because in a plain path it would read "?" as the start of parameters.
func dsn(file string, parameters url.Values) string {
	path := filepath.ToSlash(file)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // a path of Windows, such as C:/heed.db
	}
	query := parameters.Encode() +
		"&mode=rw" + // otherwise SQLite would make a new, empty file if the file was deleted
		"&_pragma=mmap_size(0)" + // otherwise a failing disk would crash the process instead of causing an error
		"&_error_rc=1" // otherwise an error could have the text of an error of another connection
	return (&url.URL{Scheme: "file", Path: path, RawQuery: query}).String()
}

const (
	applicationID = 0x48656564
	userVersion   = 1
)

var (
	//go:embed schema.sql
	schema string
	//go:embed notes.sql
	notesSchema string
)

// Open must fail if the file is read-only or belongs to another program. So prepareDatabase also tries to write.
func prepareDatabase(db *sql.DB, limited bool) error {
	// Many processes may prepare a new file at the same time.
	err := retry(context.Background(), openTimeout, func() error {
		missing, err := missingTables(db)
		if err != nil {
			return err // nothing is changed, because the file may belong to another program
		}
		if err := useWAL(db); err != nil || missing == "" {
			return err
		}
		return inTransaction(db, func(tx *sql.Tx) (string, error) { return missingTables(tx) }) // another process may just have made the tables
	})
	if err != nil {
		return err
	}
	query := "DELETE FROM origins WHERE 0" // this deletes nothing, but it fails if the file is read-only
	if limited {
		query += "; " + indexAsked
	}
	err = inTransaction(db, func(*sql.Tx) (string, error) { return query, nil })
	if isLocked(err) {
		return nil // another process can write, so the file is not read-only
	}
	return err
}

func useWAL(db *sql.DB) error {
	var mode string
	for _, query := range []string{"PRAGMA journal_mode", "PRAGMA journal_mode = WAL"} {
		err := db.QueryRow(query).Scan(&mode)
		if err != nil || mode == "wal" {
			return err
		}
	}
	return fmt.Errorf("the file system does not support the WAL mode of SQLite (the journal mode is %s): choose a path on a local disk", mode)
}

func inTransaction(db *sql.DB, queryOf func(*sql.Tx) (string, error)) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback() // has no effect after Commit
	query, err := queryOf(tx)
	if err != nil {
		return err
	}
	if _, err := tx.Exec(query); err != nil {
		return err
	}
	return tx.Commit()
}

func missingTables(db interface {
	QueryRow(string, ...any) *sql.Row
}) (string, error) {
	var application, version, objects int64
	var hasNotes bool
	err := db.QueryRow(`SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema),
			EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'notes')
		FROM pragma_application_id, pragma_user_version`).Scan(&application, &version, &objects, &hasNotes)
	switch {
	case err != nil:
		return "", err
	case application == 0 && version == 0 && objects == 0:
		return schema + notesSchema, nil
	case application != applicationID:
		return "", errors.New("the file is a database of another program: expected another file")
	case version != userVersion:
		return "", fmt.Errorf("a newer version of Heed has written the database in the format %d, and this version reads the format %d: update Heed, or use another file", version, userVersion)
	case !hasNotes:
		return notesSchema, nil
	}
	return "", nil
}
