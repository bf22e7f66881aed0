package archive

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	_ "modernc.org/sqlite" // the database driver

	"github.com/heed-robots/heed/internal/bulk/capture"
	"github.com/heed-robots/heed/internal/claim"
)

// A partial is an unfinished archive. A second database, "aside", has the unsorted captures and the state of the run.
type partial struct {
	name    string // the path of the first database
	db      *sql.DB
	conn    *sql.Conn
	isSaved bool
	release func() error

	selectBody, insertBody, insertDigest, insertByDigest, insertCapture *sql.Stmt
}

const (
	asideTables = `
		CREATE TABLE aside.added AS SELECT * FROM captures;
		CREATE TABLE aside.digests (id INTEGER PRIMARY KEY, digest BLOB NOT NULL);
		CREATE TABLE aside.state (data BLOB NOT NULL);`

	// The index of bodies is temporary, because saving its random pages would be slow.
	byDigest = `
		CREATE TEMP TABLE by_digest (digest BLOB PRIMARY KEY, id INTEGER NOT NULL) WITHOUT ROWID;
		INSERT INTO by_digest SELECT digest, id FROM aside.digests ORDER BY digest;`
)

func newPartial(path string) (*partial, error) {
	p, err := claimed(path)
	if err != nil {
		return nil, err
	}
	p.remove()
	f, err := os.OpenFile(p.name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666) // the umask reduces these permissions
	if err == nil {
		_, err = f.Write(empty)
		err = errors.Join(err, f.Close())
	}
	if err == nil {
		err = p.begin(asideTables)
	}
	if err != nil {
		return nil, errors.Join(p.withName(err), p.close(false))
	}
	return p, nil
}

func openPartial(path string) (*partial, []byte, error) {
	if _, err := os.Stat(PartialOf(path)); errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	p, err := claimed(path)
	if err != nil {
		return nil, nil, err
	}
	if _, err := os.Stat(p.name); errors.Is(err, fs.ErrNotExist) {
		return nil, nil, p.close(true)
	}
	state, err := p.open()
	if state == nil {
		return nil, nil, errors.Join(err, p.close(true))
	}
	p.isSaved = true
	return p, state, nil
}

// The files are never removed here: they may be the work of hours.
func (p *partial) open() (state []byte, err error) {
	err = p.begin("")
	if err == nil {
		err = p.queryRow(&state, "SELECT data FROM aside.state")
	}
	if err == nil {
		return state, nil
	}
	if info, failed := os.Stat(p.name); failed == nil && info.Size() <= int64(len(empty)) {
		if found, failed := os.ReadFile(p.name); failed == nil && bytes.HasPrefix(empty, found) {
			return nil, nil
		}
	}
	return nil, fmt.Errorf("heed cannot continue the interrupted run: %w; if the file is damaged, delete it to start again", p.withName(err))
}

func claimed(path string) (*partial, error) {
	name := PartialOf(path)
	release, err := claim.File(name+".lock", path)
	return &partial{name: name, release: release}, err
}

// PartialOf returns the name of the file before Commit.
func PartialOf(path string) string { return path + ".partial" }

func (p *partial) begin(tables string) error {
	// No other process reads the databases, so the locks are exclusive. A negative cache_size is in KiB.
	settings := url.Values{"mode": {"rw"}, "_pragma": {"locking_mode(exclusive)", "synchronous(full)", "cache_size(-65536)", fmt.Sprintf("max_page_count(%d)", maxPages)}}
	main, err := uriOf(p.name, settings)
	if err != nil {
		return err
	}
	beside, err := uriOf(p.name+asideSuffix, nil)
	if err != nil {
		return err
	}
	if p.db, err = sql.Open("sqlite", main); err != nil {
		return err
	}
	if p.conn, err = p.db.Conn(context.Background()); err != nil {
		return err
	}
	if err := p.exec("ATTACH ? AS aside", beside); err != nil {
		return err
	}
	for _, text := range []string{"PRAGMA aside.synchronous = full", "PRAGMA temp_store = file", "PRAGMA temp.journal_mode = off", "PRAGMA temp.cache_size = -65536", "BEGIN IMMEDIATE", tables, byDigest} {
		if err := p.exec(text); err != nil {
			return err
		}
	}
	return p.prepare()
}

const asideSuffix = "-aside"

func uriOf(name string, settings url.Values) (string, error) {
	absolute, err := filepath.Abs(name)
	slash := "/" + strings.TrimPrefix(filepath.ToSlash(absolute), "/") // a Windows path such as C:/x does not begin with a slash
	return (&url.URL{Scheme: "file", Path: slash, RawQuery: settings.Encode()}).String(), err
}

func (p *partial) prepare() (err error) {
	for _, s := range []struct {
		to   **sql.Stmt
		text string
	}{
		{&p.selectBody, "SELECT id FROM by_digest WHERE digest = ?"},
		{&p.insertBody, "INSERT INTO bodies VALUES (?, ?, ?)"},
		{&p.insertDigest, "INSERT INTO aside.digests VALUES (?, ?)"},
		{&p.insertByDigest, "INSERT INTO by_digest VALUES (?, ?)"},
		{&p.insertCapture, "INSERT INTO aside.added VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"},
	} {
		if *s.to, err = p.conn.PrepareContext(context.Background(), s.text); err != nil {
			return err
		}
	}
	return nil
}

func (p *partial) exec(text string, values ...any) error {
	_, err := p.conn.ExecContext(context.Background(), text, values...)
	return err
}

func (p *partial) queryRow(into any, text string) error {
	return p.conn.QueryRowContext(context.Background(), text).Scan(into)
}

func (p *partial) idOf(sum digest) (id int64, err error) {
	if err = p.selectBody.QueryRow(sum[:]).Scan(&id); errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return id, err
}

func (p *partial) addBody(id int64, sum digest, uncompressedSize int, data []byte) error {
	_, err := p.insertBody.Exec(id, uncompressedSize, data)
	if err == nil {
		_, err = p.insertDigest.Exec(id, sum[:])
	}
	if err == nil {
		_, err = p.insertByDigest.Exec(sum[:], id)
	}
	return err
}

func (p *partial) addCapture(c *capture.Capture, body int64) error {
	at := sql.NullInt64{Int64: c.At.UnixNano(), Valid: !c.At.IsZero()}
	_, err := p.insertCapture.Exec(c.URL, c.Order, at, c.Status, c.Location, c.Failed, string(c.Page), c.SaysNotFound, c.Truncated, body)
	return err
}

// The state is in the same transaction as the captures. So the state and the captures always reach
// the disk together.
func (p *partial) save(state []byte) error {
	err := p.exec("DELETE FROM aside.state")
	if err == nil {
		err = p.exec("INSERT INTO aside.state VALUES (?)", state)
	}
	if err == nil {
		err = p.exec("COMMIT; BEGIN IMMEDIATE")
	}
	p.isSaved = p.isSaved || err == nil
	return err
}

// A killed process may already have sorted the captures.
func (p *partial) sort() error {
	var infos int
	if err := p.queryRow(&infos, "SELECT count(*) FROM info"); err != nil {
		return err
	}
	if infos == 0 {
		for _, text := range []string{"DROP TABLE by_digest", "PRAGMA shrink_memory", sortCaptures, addInfo} {
			if err := p.exec(text); err != nil {
				return err
			}
		}
	}
	return errors.Join(p.exec("COMMIT"), p.closeDatabases())
}

const (
	// The window w has the captures of one URL in order. A capture equal to the one before is dropped.
	sortCaptures = `INSERT INTO captures SELECT url, n, at, status, location, failed, page, not_found, truncated, body
		FROM (SELECT *, row_number() OVER w AS n, (lag(at) OVER w, lag(status) OVER w, lag(location) OVER w, lag(failed) OVER w,
			lag(page) OVER w, lag(not_found) OVER w, lag(truncated) OVER w, lag(body) OVER w)
			IS NOT (at, status, location, failed, page, not_found, truncated, body) AS is_new
			FROM aside.added WINDOW w AS (PARTITION BY url ORDER BY at, place, rowid)) WHERE is_new`

	addInfo = `INSERT INTO info SELECT total(place = 1), count(*), total(body > 0), (SELECT count(*) FROM bodies), (SELECT total(size) FROM bodies), min(at), max(at) FROM captures`
)

// SQLite does not name the file in its errors.
func (p *partial) withName(err error) error {
	if err == nil || errors.Is(err, fs.ErrClosed) {
		return err
	}
	return fmt.Errorf("heed cannot read or write %s, or a temporary file beside it: %w", p.name, err)
}

// What was not saved is lost. If keep is false, all files are removed.
func (p *partial) close(keep bool) error {
	err := p.closeDatabases()
	if !keep {
		p.remove()
	}
	if p.release != nil {
		err = errors.Join(err, p.release())
		p.release = nil
	}
	return err
}

func (p *partial) closeDatabases() error {
	var err error
	for _, s := range []*sql.Stmt{p.selectBody, p.insertBody, p.insertDigest, p.insertByDigest, p.insertCapture} {
		if s != nil {
			err = errors.Join(err, s.Close()) // an open statement would keep SQLite's lock
		}
	}
	if p.conn != nil {
		err = errors.Join(err, p.conn.Close())
	}
	if p.db != nil {
		err = errors.Join(err, p.db.Close())
	}
	p.conn, p.db = nil, nil
	return err
}

func (p *partial) remove() {
	for _, name := range []string{"", "-journal", asideSuffix, asideSuffix + "-journal"} {
		os.Remove(p.name + name)
	}
	folder, begin := filepath.Dir(p.name), filepath.Base(p.name)+"-mj" // the journals that belong to both databases together
	entries, _ := os.ReadDir(folder)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), begin) {
			os.Remove(filepath.Join(folder, e.Name()))
		}
	}
}
