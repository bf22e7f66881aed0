package testcmd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/heed-robots/heed/internal/saved"
)

// A robots.txt that a case names has a size limit, because a device may never end.
func TestRobotsFilesOfCasesAreBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "large")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Truncate(saved.MaxBytes + 1); err != nil {
		t.Fatal(err)
	}
	s := &sources{test: &test{}}
	if _, err := s.readFile("x.cases", path); err == nil || !strings.Contains(err.Error(), "larger than 16 MiB") {
		t.Errorf("%v", err)
	}
}
