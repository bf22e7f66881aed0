// Package saved reads robots.txt files that were saved: in a folder with the file of each host, or in
// lines of JSON.
package saved

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"
)

// MaxBytes limits a robots.txt that is read from a file or a capture. Real ones are far smaller.
const MaxBytes = 16 << 20

// MaxLine limits a line of JSON, in bytes: a robots.txt of MaxBytes fits in, also in base64.
const MaxLine = 64 << 20

// Read reads a robots.txt of at most MaxBytes as it is. Errors have the name.
func Read(in io.Reader, name string) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(in, MaxBytes+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("robots.txt: %w", err)
	case len(body) > MaxBytes:
		return nil, fmt.Errorf("robots.txt: %s is larger than %d MiB", name, MaxBytes>>20)
	}
	return body, nil
}

// ReadFile reads a file as Read does, and returns when it was last changed.
func ReadFile(path string) (body []byte, changed time.Time, err error) {
	info, err := os.Stat(path) // opening a pipe may never end
	if err == nil {
		err = CheckFile(path, info.Mode())
	}
	if err != nil {
		return nil, changed, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, changed, err
	}
	defer f.Close()
	body, err = Read(f, path)
	return body, info.ModTime(), err
}

// CheckFile returns an error about what is no regular file: reading a pipe or a device may never end.
func CheckFile(path string, mode fs.FileMode) error {
	switch {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		return fmt.Errorf("%s: expected a file, found a folder", path)
	}
	return fmt.Errorf("%s: expected a file, found a pipe, a device or the like", path)
}
