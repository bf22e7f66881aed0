package cache

import (
	"context"
	"testing"

	"github.com/heed-robots/heed/origin"
)

// A Cache does not write to its exported fields, so that other goroutines may read them.
func TestFieldsAreNotWritten(t *testing.T) {
	c := &Cache{}
	if _, err := c.PeekSite(context.Background(), origin.Origin{}); err != nil {
		t.Fatal(err)
	}
	c.Close()
	if c.Fetcher != nil || c.Now != nil {
		t.Errorf("Fetcher is %v, Now is nil: %t", c.Fetcher, c.Now == nil)
	}
}
