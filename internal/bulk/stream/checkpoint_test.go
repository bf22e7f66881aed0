package stream_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/heed-robots/heed/internal/bulk/stream"
	"github.com/heed-robots/heed/internal/testing/portion"
)

// A checkpoint in which any bit is wrong, or that is cut, is an error, and the output stays as it is.
func TestDamagedCheckpoint(t *testing.T) {
	portion.Skip(t, 4)
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in"), filepath.Join(dir, "out")
	os.WriteFile(in, []byte(strings.Repeat("https://shop.example/\n", 100)), 0o600)
	run := func(ctx context.Context, resume bool) error {
		_, err := stream.Run(ctx, &stream.Options{Decider: decider("a"), Columns: []string{"a"}, Inputs: []string{in}, To: out, Resume: resume})
		return err
	}
	ended, end := context.WithCancel(context.Background())
	end()
	if err := run(ended, false); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(stream.CheckpointOf(out))
	if err != nil {
		t.Fatal(err)
	}
	os.WriteFile(out, []byte("before\n"), 0o600)
	try := func(name string, checkpoint []byte) {
		os.WriteFile(stream.CheckpointOf(out), checkpoint, 0o600)
		if err := run(context.Background(), true); err == nil || !strings.Contains(err.Error(), "to start again") {
			t.Errorf("%s: %v", name, err)
		}
		if got, err := os.ReadFile(out); err != nil || string(got) != "before\n" {
			t.Fatalf("%s: the output is %q now (%v)", name, got, err)
		}
	}
	for i := range 8 * len(whole) {
		damaged := bytes.Clone(whole)
		damaged[i/8] ^= 1 << (i % 8)
		try(fmt.Sprint("bit ", i), damaged)
	}
	try("cut", whole[:len(whole)-1])
	try("longer", append(bytes.Clone(whole), '\n'))
	try("without its sum", bytes.SplitAfter(whole, []byte("\n"))[0])

	// Without the output of the run before, nothing is written.
	os.Remove(out)
	os.WriteFile(stream.CheckpointOf(out), whole, 0o600)
	if err := run(context.Background(), true); err != nil {
		t.Error(err) // at offset 0
	}
}
