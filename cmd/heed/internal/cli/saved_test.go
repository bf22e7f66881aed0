package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Bytes that JSON cannot hold are no U+FFFD, which would match nothing.
func TestItemNotUTF8(t *testing.T) {
	_, err := readItem(numberedLine{text: "{\"url\": \"https://a.example/\", \"robots\": \"User-agent: *\\nDisallow: /\xe9\"}"}, time.Now())
	if err == nil || !strings.Contains(err.Error(), "robots_b64") {
		t.Errorf("%v", err)
	}
}

// What is no file, such as a folder or a device, is not read: a pipe would be waited for.
func TestSavedIsAFile(t *testing.T) {
	for _, path := range []string{os.DevNull, t.TempDir()} {
		if _, _, err := readSaved(path); err == nil || !strings.Contains(err.Error(), "expected a file") {
			t.Errorf("%s: %v", path, err)
		}
	}
	path := filepath.Join(t.TempDir(), "a.example")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := readSaved(path); err != nil {
		t.Error(err)
	}
}

// A file that a case names may be without an end.
func TestCaseFilesAreBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "large")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Truncate(maxRobots + 1); err != nil {
		t.Fatal(err)
	}
	s := &sources{test: &test{}}
	if _, err := s.readFile("x.cases", path); err == nil || !strings.Contains(err.Error(), "larger than 64 MiB") {
		t.Errorf("%v", err)
	}
}

// Times of which no duration can be told are no times of a retrieval.
func TestSavedTimes(t *testing.T) {
	for fetched, ok := range map[string]bool{"1970-01-01T00:00:00Z": true, "1969-12-31T23:59:59Z": false, "0000-01-01T00:00:00Z": false, "9999-01-01T00:00:00Z": false} {
		_, err := readItem(numberedLine{text: `{"url": "https://a.example/", "status": 404, "fetched": "` + fetched + `"}`}, time.Now())
		if (err == nil) != ok {
			t.Errorf("%s: %v", fetched, err)
		}
	}
}
