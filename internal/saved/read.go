// Package saved reads saved robots.txt files from folders, JSON lines and tables.
package saved

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"sync"
	"time"
)

// MaxBytes is the maximum size in bytes of a robots.txt from a file or a capture.
const MaxBytes = 16 << 20

// MaxLine is the maximum length of a line of JSON, in bytes. A robots.txt of MaxBytes fits into one line, even in base64.
const MaxLine = 64 << 20

func Read(in io.Reader, name string) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(in, MaxBytes+1))
	switch {
	case err != nil:
		return nil, err
	case len(body) > MaxBytes:
		return nil, fmt.Errorf("%s is larger than %d MiB; expected a smaller file", name, MaxBytes>>20)
	}
	return body, nil
}

func ReadOpened(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Read(f, path)
}

// HasEscapes reports whether a robots.txt has the two characters \n or \r in place of line ends. Crawlers do not read the lines
// after them.
func HasEscapes(body string) bool {
	body = body[:min(len(body), 16<<10)] // enough for a hint; the search takes up to 1 ms for 1 KiB
	return (strings.Contains(body, `\n`) || strings.Contains(body, `\r`)) && escapedLine().MatchString(body)
}

var escapedLine = sync.OnceValue(func() *regexp.Regexp {
	const key, escape = `(?:user-agent|allow|disallow|sitemap)[ \t]*:`, `[^\r\n]*\\[nr](?:\\t|[ \t])*`
	return regexp.MustCompile(`(?im)\A\s*user-agent[ \t]*:` + escape + `[#\w-]|\A` + escape + key + `[^\r\n]*\s*\z|^[ \t]*[^#\s]` + escape + key)
})

// ReadFile reads a regular file of at most MaxBytes, and returns when it was changed.
func ReadFile(path string) (body []byte, changed time.Time, err error) {
	info, err := Stat(path)
	if err != nil {
		return nil, changed, err
	}
	if body, err = ReadOpened(path); err != nil {
		err = fmt.Errorf("robots.txt: %w", err)
	}
	return body, info.ModTime(), err
}

const NoSuchFile = "there is no such file or folder"

// Stat accepts only regular files: reading a pipe may never end.
func Stat(path string) (fs.FileInfo, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("robots.txt: %s: %s", path, NoSuchFile)
	case err != nil:
		return nil, fmt.Errorf("robots.txt: %w", err)
	case info.IsDir():
		return nil, fmt.Errorf("robots.txt: %s is a folder: expected a file", path)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("robots.txt: %s is a pipe, a device or a socket: expected a file", path)
	}
	return info, nil
}
