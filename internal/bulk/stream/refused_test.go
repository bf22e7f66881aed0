package stream_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/heed-robots/heed/internal/bulk/stream"
)

// A run that is refused because an input has changed, even one that was read to its end, makes no file, and leaves the
// output as it is.
func TestRefusedResume(t *testing.T) {
	dir := t.TempDir()
	first, second, out, rejects := filepath.Join(dir, "first"), filepath.Join(dir, "second"), filepath.Join(dir, "out"), filepath.Join(dir, "rejects")
	for name, change := range map[string]func(){
		first:  func() { os.WriteFile(first, []byte("https://other.example/\n"), 0o600) },
		second: func() { os.Chtimes(second, time.Time{}, time.Now().Add(time.Hour)) },
	} {
		os.WriteFile(first, []byte("https://a.example/\n"), 0o600)
		os.WriteFile(second, []byte("https://b.example/\n"), 0o600)
		ctx, interrupt := context.WithCancel(context.Background())
		defer interrupt()
		o := &stream.Options{Decider: decider("a"), Columns: []string{"a"}, Inputs: []string{first, second}, To: out, Rejects: rejects}
		o.Before = func(urls []string) {
			if strings.Contains(urls[0], "b.example") {
				interrupt()
			}
		}
		if _, err := stream.Run(ctx, o); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		os.WriteFile(out, []byte("of the run before"), 0o600)
		os.Remove(rejects)
		change()
		o.Resume, o.Before = true, nil
		if _, err := stream.Run(context.Background(), o); err == nil || !strings.Contains(err.Error(), "the input "+name+" has changed since the run was interrupted") {
			t.Errorf("%s: error %v", name, err)
		}
		if _, err := os.Stat(rejects); err == nil {
			t.Errorf("%s: there is a file of rejects", name)
		}
		if got, _ := os.ReadFile(out); string(got) != "of the run before" {
			t.Errorf("%s: the output is %q", name, got)
		}
		os.Remove(stream.CheckpointOf(out))
	}
}
