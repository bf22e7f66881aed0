package stream_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/heed-robots/heed/internal/bulk/stream"
	"github.com/heed-robots/heed/internal/testing/portion"
)

// childEnv has the arguments of a run in a process of its own, as JSON.
const childEnv = "HEED_STREAM_CHILD"

type childRun struct {
	Inputs      []string
	To, Rejects string
}

func TestMain(m *testing.M) {
	if text := os.Getenv(childEnv); text != "" {
		os.Exit(runChild(text))
	}
	os.Exit(m.Run())
}

func runChild(text string) int {
	var c childRun
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		panic(err)
	}
	o := &stream.Options{Decider: decider("a", "b"), Columns: []string{"a", "b"}, Header: true, Inputs: c.Inputs, To: c.To, Rejects: c.Rejects, Resume: true, Every: time.Millisecond}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	_, err := stream.Run(ctx, o)
	switch {
	case errors.Is(err, context.Canceled):
		return interrupted
	case err != nil:
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// interrupted is the exit status of a child that was interrupted.
const interrupted = 3

// A run that is killed or interrupted again and again, at any time, and goes on each time, has the same output as one
// that is not.
func TestKilled(t *testing.T) {
	t.Parallel()
	portion.Skip(t, 3)
	least := 3 // kills and interrupts
	if portion.Whole() {
		least = 500
	}
	dir := t.TempDir()
	inputs := killInputs(t, dir)
	want := childRun{inputs, filepath.Join(dir, "want.tsv"), filepath.Join(dir, "want.rejects")}
	if killed := start(t, want, 0); killed {
		t.Fatal("the run did not end")
	}
	kills := 0
	for round := 0; kills < least; round++ {
		if round > 20*least {
			t.Fatalf("killed %d times in %d rounds: the inputs are too short for this machine", kills, round)
		}
		got := childRun{inputs, filepath.Join(dir, fmt.Sprint("got", round, []string{".tsv", ".tsv.gz", ".tsv.zst"}[round%3])), filepath.Join(dir, fmt.Sprint("rejects", round))}
		for longest := 200; start(t, got, time.Duration(rand.IntN(longest*1000)+1)*time.Microsecond); longest += 100 { // in ms
			kills++
		}
		for _, pair := range [][2]string{{got.To, want.To}, {got.Rejects, want.Rejects}} {
			if a, b := contents(t, pair[0]), contents(t, pair[1]); !bytes.Equal(a, b) {
				t.Fatalf("%s: %d bytes after kills, %d without", pair[0], len(a), len(b))
			}
		}
		if _, err := os.Stat(stream.CheckpointOf(got.To)); err == nil {
			t.Error("the checkpoint stays after the end")
		}
	}
	t.Logf("killed or interrupted %d times", kills)
}

// killInputs makes inputs of several kinds.
func killInputs(t *testing.T, dir string) (names []string) {
	var text strings.Builder
	for i := range 30_000 {
		switch i % 50 {
		case 7:
			text.WriteString("nonsense\n")
		default:
			fmt.Fprintf(&text, "https://shop.example/%s/%d\n", []string{"cart", "x"}[i%2], i)
		}
	}
	var records strings.Builder
	records.WriteString("id,url\n")
	for i := range 6_000 {
		begin := []string{`"5""",`, `5" disk,`, `"`, `"5" disk,`, `"a` + "\n" + `b",`, `"a,`, "5,", "6,"}[i*i%13%8]
		fmt.Fprintf(&records, "%shttps://shop.example/%s/%d\n", begin, []string{"cart", "x"}[i%2], i)
	}
	var zipped, frames bytes.Buffer
	w := gzip.NewWriter(&zipped)
	io.WriteString(w, text.String())
	w.Close()
	z, err := zstd.NewWriter(&frames)
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(z, text.String())
	z.Close()
	for _, file := range []struct{ name, body string }{{"a.txt", text.String()}, {"b.gz", zipped.String()}, {"c.zst", frames.String()}, {"d.csv", records.String()}} {
		names = append(names, filepath.Join(dir, file.name))
		if err := os.WriteFile(names[len(names)-1], []byte(file.body), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return append(names, names[0])
}

// start starts a run, and kills or interrupts it after a time; 0: never. It returns whether it did not end.
func start(t *testing.T, c childRun, after time.Duration) (killed bool) {
	t.Helper()
	text, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), childEnv+"="+string(text))
	var told bytes.Buffer
	child.Stderr = &told
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	if after > 0 {
		how := []os.Signal{os.Kill, os.Interrupt}[rand.IntN(2)]
		timer := time.AfterFunc(after, func() { child.Process.Signal(how) })
		defer timer.Stop()
	}
	err = child.Wait()
	if strings.Contains(told.String(), "run has ended") { // the run before was killed when it had ended
		return false
	}
	if err != nil && child.ProcessState.Exited() && child.ProcessState.ExitCode() != interrupted {
		t.Fatalf("%v: %s", err, told.String())
	}
	return err != nil
}

// contents returns what is in a file, decompressed.
func contents(t *testing.T, name string) []byte {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var from io.Reader = f
	switch filepath.Ext(name) {
	case ".gz":
		from, err = gzip.NewReader(f)
	case ".zst":
		from, err = zstd.NewReader(f)
	}
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(from)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return text
}
