package sqlite

import (
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// readers is how many connections read at the same time.
const readers = 4

// A database is an open file.
type database struct {
	*Store
	files []os.FileInfo // as they were opened: see stat

	// SQLite has one writer at a time. So the writers of this process wait in order for one
	// connection, and do not compete for the lock of the file.
	writer, reader *connection

	shrunk sync.Once // see shrink
}

func (d *database) open() error {
	if _, err := createFile(d.file); err != nil {
		return err
	}
	var err error
	if d.writer, err = connect(d.file, writerParameters); err != nil {
		return err
	}
	d.writer.db.SetMaxOpenConns(1)
	if err := prepareDatabase(d.writer.db, d.maxBytes > 0); err != nil {
		return err
	}
	if err := d.writer.prepare(writes); err != nil {
		return err
	}
	if d.reader, err = connect(d.file, readerParameters); err != nil {
		return err
	}
	d.reader.db.SetMaxOpenConns(readers)
	d.reader.db.SetMaxIdleConns(readers)
	if err := d.reader.prepare(reads); err != nil {
		return err
	}
	d.files, err = d.stat()
	return err
}

// stat returns the file, and that of SQLite with the newest changes, which is there while the
// database is open.
func (d *database) stat() (files []os.FileInfo, err error) {
	for _, end := range []string{"", "-wal"} {
		info, err := os.Stat(d.file + end)
		if err != nil {
			return nil, err
		}
		files = append(files, info)
	}
	return files, nil
}

// checkFiles returns an error if the files are not those that were opened. If they cannot be
// looked at for another reason, reading and writing will say so.
func (d *database) checkFiles() error {
	files, err := d.stat()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w: a new one is begun", err)
	case err != nil:
		return nil
	}
	for i, info := range files {
		if !os.SameFile(info, d.files[i]) {
			return fmt.Errorf("%s was replaced: the new one is used", filepath.Join(filepath.Dir(d.file), info.Name()))
		}
	}
	return nil
}

// disconnect closes the connections. A call that runs may still end.
func (d *database) disconnect() error {
	if d == nil {
		return nil
	}
	// The writer is the last: the connection that is closed last writes the -wal file into
	// the database, which a reader may not do.
	return errors.Join(d.reader.close(), d.writer.close())
}

// A connection is a pool of connections with the same parameters, and its statements.
type connection struct {
	db         *sql.DB
	statements map[string]*sql.Stmt // by their text
}

func connect(file string, p parameters) (*connection, error) {
	db, err := sql.Open("sqlite", dsn(file, p))
	if err != nil {
		return nil, err
	}
	return &connection{db: db, statements: map[string]*sql.Stmt{}}, nil
}

func (c *connection) prepare(queries []string) error {
	for _, query := range queries {
		statement, err := c.db.Prepare(query)
		if err != nil {
			return err
		}
		c.statements[query] = statement
	}
	return nil
}

func (c *connection) close() error {
	if c == nil {
		return nil
	}
	return c.db.Close()
}
