package archive

import (
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/heed-robots/heed/internal/bulk/capture"
)

// counted counts the reads of a file.
type counted struct {
	io.ReaderAt
	reads int
}

func (c *counted) ReadAt(p []byte, off int64) (int, error) {
	c.reads++
	return c.ReaderAt.ReadAt(p, off)
}

// Keys that are asked for in order read each page of the captures about once.
func TestKeysInOrder(t *testing.T) {
	const urls = 3000
	var captures []capture.Capture
	var keys []string
	for i := range urls {
		captures = append(captures, capture.Capture{URL: key(i), Facts: capture.Facts{Status: i % 1000}})
		keys = append(keys, key(i))
	}
	r := open(t, write(t, captures))
	file := &counted{ReaderAt: r.file}
	r.file = file
	defer func() { r.file = file.ReaderAt }()
	slices.Sort(keys)
	for _, key := range keys {
		if found, err := r.Entries(key); len(found) != 1 || err != nil {
			t.Fatal(key, found, err)
		}
	}
	if pages := int(r.info.FileBytes / pageSize); file.reads > 2*pages {
		t.Errorf("%d reads of %d pages", file.reads, pages)
	}
}

// Goroutines that ask for the same leaves at the same time get the right answers.
func TestLeavesAtOnce(t *testing.T) {
	const urls = 200
	var captures []capture.Capture
	for i := range urls {
		captures = append(captures, capture.Capture{URL: key(i), Facts: capture.Facts{Status: i}, Body: fmt.Sprint(i)})
	}
	r := open(t, write(t, captures))
	var all sync.WaitGroup
	for seed := range uint64(8) {
		all.Go(func() {
			random := rand.New(rand.NewPCG(seed, 1))
			for range 2000 {
				i := random.IntN(urls)
				got, err := answers(r, key(i))
				if err != nil || len(got) != 1 || got[0].Status != i || got[0].body != fmt.Sprint(i) {
					t.Errorf("%d: %v, %v", i, got, err)
					return
				}
			}
		})
	}
	all.Wait()
}
