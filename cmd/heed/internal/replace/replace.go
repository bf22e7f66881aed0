// Package replace writes new text into files. If writing fails, the old text is not lost.
package replace

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// OrCreate writes a text to a file, and creates the file if it does not exist.
func OrCreate(name string, body []byte) error {
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return createFile(name, body)
	case err != nil:
		return fmt.Errorf("nothing is written: %w", err)
	case !info.Mode().IsRegular(): // reading a device may never end
		return errIrregular(name)
	}
	old, err := os.ReadFile(name)
	if err != nil {
		return fmt.Errorf("nothing is written: %w", err)
	}
	return File(name, old, body)
}

func errIrregular(name string) error {
	return fmt.Errorf("%s is not a regular file, so heed cannot write it: name another file", name)
}

func createFile(name string, body []byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return fmt.Errorf("nothing is written: %w", err)
	}
	_, err = f.Write(body)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		os.Remove(name)
	}
	return err
}

// File replaces the text of a file by body. If the file no longer has oldText, this is an error. Until body is on the
// disk, a copy of oldText exists.
func File(name string, oldText, body []byte) error {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return errIrregular(name)
	case info.Mode().Perm()&0o222 == 0: // the check is needed for root, who may write every file
		return fmt.Errorf("%s is read-only, so heed cannot write it: make it writable, or name another file", name)
	}
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return fmt.Errorf("nothing is written: %w", err)
	}
	defer f.Close()
	now, err := io.ReadAll(f)
	switch {
	case err != nil || bytes.Equal(now, body): // the second case happens if the same file is given twice
		return err
	case !bytes.Equal(now, oldText):
		return fmt.Errorf("another program changed %s while heed read it, so heed writes nothing: run heed again", name)
	}
	saved, err := saveBeside(name, oldText)
	if err != nil {
		return fmt.Errorf("%s is not changed, because heed cannot write a copy of the old file into the same folder: %w", name, err)
	}
	_, err = f.WriteAt(body, 0)
	if err = errors.Join(err, f.Truncate(int64(len(body))), f.Sync()); err != nil {
		return fmt.Errorf("%w; a copy of the old file is in %s", err, saved)
	}
	return os.Remove(saved)
}

func saveBeside(name string, text []byte) (string, error) {
	f, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*.tmp")
	if err != nil {
		return "", err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		os.Remove(f.Name())
	}
	return f.Name(), err
}
