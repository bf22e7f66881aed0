package stream_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/heed-robots/heed/internal/bulk/stream"
	"github.com/heed-robots/heed/internal/testing/portion"
)

// A run that is interrupted while it reads compressed data ends with the error of its context, and goes on
// later: the output is that of one run.
func TestInterrupts(t *testing.T) {
	portion.Skip(t, 3)
	dir := t.TempDir()
	var list bytes.Buffer
	for i := range 200_000 {
		fmt.Fprintf(&list, "https://www%d.example/%d\n", i%100, i)
	}
	inputs := map[string]func(io.Writer) io.WriteCloser{
		"plain": func(w io.Writer) io.WriteCloser { return w.(io.WriteCloser) },
		"gzip":  func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) },
		"zstd": func(w io.Writer) io.WriteCloser {
			z, err := zstd.NewWriter(w)
			if err != nil {
				t.Fatal(err)
			}
			return z
		},
	}
	for name, encode := range inputs {
		in := filepath.Join(dir, name)
		f, err := os.Create(in)
		if err != nil {
			t.Fatal(err)
		}
		z := encode(f)
		if _, err := z.Write(list.Bytes()); err != nil {
			t.Fatal(err)
		}
		z.Close()
		f.Close()
		options := func(out string) *stream.Options {
			return &stream.Options{Decider: decider("a"), Columns: []string{"a"}, Inputs: []string{in}, To: out, Every: time.Hour}
		}
		whole := filepath.Join(dir, name+".whole")
		if _, err := stream.Run(context.Background(), options(whole)); err != nil {
			t.Fatal(name, err)
		}
		want, err := os.ReadFile(whole)
		if err != nil {
			t.Fatal(err)
		}
		out, interrupts := filepath.Join(dir, name+".out"), 0
		for {
			o := options(out)
			o.Resume = interrupts > 0
			ctx, cancel := context.WithTimeout(context.Background(), time.Duration(interrupts%40)*time.Millisecond)
			if interrupts == 60 {
				cancel()
				ctx, cancel = context.WithCancel(context.Background())
			}
			_, err := stream.Run(ctx, o)
			cancel()
			if err == nil {
				break
			}
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Fatalf("%s, after %d interrupts: %v", name, interrupts, err)
			}
			if at, size := checkpointed(t, out), fileSize(t, out); at != size {
				t.Fatalf("%s, after %d interrupts: the checkpoint is about %d bytes of %d", name, interrupts, at, size)
			}
			interrupts++
		}
		if got, err := os.ReadFile(out); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %d bytes after %d interrupts, want %d: %v", name, len(got), interrupts, len(want), err)
		}
		t.Log(name, interrupts, "interrupts")
		for deadline := time.Now().Add(10 * time.Second); isOpen(in) && !t.Failed(); time.Sleep(10 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Errorf("%s is still open", name)
			}
		}
	}
}

// checkpointed returns the size of an output according to its checkpoint.
func checkpointed(t *testing.T, out string) int64 {
	t.Helper()
	text, err := os.ReadFile(stream.CheckpointOf(out))
	if err != nil {
		t.Fatal(err)
	}
	var at struct{ Output int64 }
	if err := json.NewDecoder(bytes.NewReader(text)).Decode(&at); err != nil {
		t.Fatal(err)
	}
	return at.Output
}

func fileSize(t *testing.T, name string) int64 {
	t.Helper()
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

// isOpen reports whether this process has a file open, where the system tells it.
func isOpen(file string) bool {
	const all = "/proc/self/fd"
	entries, _ := os.ReadDir(all)
	return slices.ContainsFunc(entries, func(e os.DirEntry) bool {
		target, _ := os.Readlink(filepath.Join(all, e.Name()))
		return target == file
	})
}

// slow is a reader that gives a little of a text at a time. While it waits, a decoder is in use.
type slow struct{ rest []byte }

func (s *slow) Read(p []byte) (int, error) {
	time.Sleep(time.Millisecond)
	n := copy(p[:min(len(p), 4<<10)], s.rest)
	s.rest = s.rest[n:]
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

// A decoder is not closed while it reads.
func TestInterruptOfSlowInput(t *testing.T) {
	portion.Skip(t, 4)
	var list bytes.Buffer
	for i := range 200_000 {
		fmt.Fprintf(&list, "https://www%d.example/%x\n", i%100, i*i*i)
	}
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	packed := z.EncodeAll(list.Bytes(), nil)
	for i := range 100 {
		ctx, cancel := context.WithTimeout(context.Background(), time.Duration(i)*time.Millisecond/2)
		stream.Run(ctx, &stream.Options{Decider: decider("a"), Columns: []string{"a"}, Inputs: []string{"-"}, Stdin: &slow{packed}, Stdout: io.Discard})
		cancel()
	}
	time.Sleep(20 * time.Millisecond) // the last reader
}
