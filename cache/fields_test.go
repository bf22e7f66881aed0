package cache

import (
	"context"
	"testing"
)

// The fields are the caller's: a Cache that is used writes to none of them, so that whoever
// shares it may read them meanwhile.
func TestFieldsAreNotWritten(t *testing.T) {
	c := &Cache{}
	if _, err := c.Peek(context.Background(), []string{"ExampleBot"}, "https://a.example/"); err != nil {
		t.Fatal(err)
	}
	c.Close()
	if c.Fetcher != nil || c.Now != nil {
		t.Errorf("Fetcher is %v, Now is nil: %t", c.Fetcher, c.Now == nil)
	}
}
