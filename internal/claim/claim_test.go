package claim

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// A claim is had by one at a time, and leaves no file.
func TestFile(t *testing.T) {
	lock := filepath.Join(t.TempDir(), "x.lock")
	release, err := File(lock, "x")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := File(lock, "x"); err == nil || !strings.Contains(err.Error(), "another run is writing x") {
		t.Errorf("a second one: %v", err)
	}
	if err := release(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(lock); err == nil {
		t.Error("the file is left over")
	}
}

// A lock whose file was removed, since another released it, is not a claim: somebody else may have a new file.
func TestFileThatWasRemoved(t *testing.T) {
	lock := filepath.Join(t.TempDir(), "x.lock")
	var has, claims atomic.Int32
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 500 {
				release, err := File(lock, "x")
				if err != nil {
					continue
				}
				if has.Add(1) != 1 {
					t.Error("two have it")
				}
				claims.Add(1)
				has.Add(-1)
				release()
			}
		})
	}
	all.Wait()
	if claims.Load() < 10 {
		t.Errorf("%d claims", claims.Load())
	}
}
