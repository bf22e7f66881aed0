package cli

import (
	"net"
	"strings"
	"testing"
	"time"
)

// If the store never answers, completion ends without completions and without a message.
func TestCompletionHasTimeout(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	start := time.Now()
	out, stderr, _ := run(t, "", "__complete", "show", "--store", "redis://"+silent.Addr().String(), "https://")
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("it took %s", took)
	}
	if !strings.HasPrefix(out, ":") || strings.Contains(stderr, "redis") {
		t.Errorf("%q, %q", out, stderr)
	}
}
