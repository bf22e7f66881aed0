package sqlite

import (
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"sync"
)

const readers = 4

type database struct {
	*Store
	files []os.FileInfo // as they were when the database was opened

	// SQLite has one writer at a time. So all writers of this process share one connection, for which they wait in order.
	writer, reader *connection

	shrunk sync.Once
}

func (d *database) open() error {
	err := createFile(d.file)
	if err != nil {
		return err
	}
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

// checkFiles returns an error only if a file was removed or replaced. Any other error comes again when the file is read or
// written.
func (d *database) checkFiles() error {
	files, err := d.stat()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("the file of the store was removed, so heed makes a new file: %w", err)
	case err != nil:
		return nil
	}
	for i, info := range files {
		if !os.SameFile(info, d.files[i]) {
			return fmt.Errorf("the file %s was replaced by another file while it was open; heed now uses the new file", filepath.Join(filepath.Dir(d.file), info.Name()))
		}
	}
	return nil
}

func (d *database) disconnect() error {
	if d == nil {
		return nil
	}
	// The writer is closed last, because only a writer may write the -wal file into the database.
	return errors.Join(d.reader.close(), d.writer.close())
}

type connection struct {
	db         *sql.DB
	statements map[string]*sql.Stmt // by their SQL text
}

func connect(file string, parameters url.Values) (*connection, error) {
	db, err := sql.Open("sqlite", dsn(file, parameters))
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
