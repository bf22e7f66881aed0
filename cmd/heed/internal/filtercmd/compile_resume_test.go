package filtercmd

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"github.com/heed-robots/heed/cmd/heed/internal/term"
	"github.com/heed-robots/heed/internal/bulk/archive"
	"github.com/heed-robots/heed/internal/bulk/capture"
	"github.com/heed-robots/heed/internal/testing/portion"
)

// killed is set in a process that a test will kill.
const killed = "HEED_TEST_COMPILE"

func TestMain(m *testing.M) {
	if arguments := os.Getenv(killed); arguments != "" {
		saveEvery = 20 * time.Millisecond
		err := compiled(os.Stderr, strings.Split(arguments, "\n")...)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// compiled runs heed compile.
func compiled(stderr io.Writer, arguments ...string) error {
	a := term.New(strings.NewReader(""), io.Discard, stderr)
	c := Compile(a)
	c.SetArgs(arguments)
	c.SilenceUsage, c.SilenceErrors = true, true
	return c.Execute()
}

// A run that is killed again and again, and goes on each time, makes the archive that a run makes without an interrupt, and
// counts and tells what cannot be used once. With one processor the files are equal: captures are added in one order.
func TestCompileGoesOn(t *testing.T) {
	for _, processors := range portion.One(1, 4) {
		t.Run(fmt.Sprint(processors, " processors"), func(t *testing.T) { testCompileGoesOn(t, processors) })
	}
}

func testCompileGoesOn(t *testing.T, processors int) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
	dir := t.TempDir()
	sources := makeSources(t, dir)
	want, wantRejects := filepath.Join(dir, "want.heed"), filepath.Join(dir, "want.jsonl")
	var wantSaid bytes.Buffer
	if err := compiled(&wantSaid, append(sources, "-o", want, "--rejects", wantRejects)...); err != nil {
		t.Fatal(err)
	}
	kills := 0
	for round := 0; kills < 3; round++ {
		if round == 20 {
			t.Fatalf("killed %d times in %d rounds: the sources are too short for this machine", kills, round)
		}
		got, gotRejects := filepath.Join(dir, fmt.Sprint("got", round, ".heed")), filepath.Join(dir, fmt.Sprint("got", round, ".jsonl"))
		n, said := compiledAndKilled(t, processors, append(slices.Clone(sources), "-o", got, "--rejects", gotRejects, "--resume"))
		kills += n
		if got, want := contentOf(t, got), contentOf(t, want); !slices.Equal(got, want) {
			t.Errorf("%d captures, want %d", len(got), len(want))
		}
		if processors == 1 && fileOf(t, got) != fileOf(t, want) {
			t.Error("the files differ")
		}
		gotLines, wantLines := sortedLines(t, gotRejects), sortedLines(t, wantRejects)
		if !slices.Equal(gotLines, wantLines) || len(wantLines) < 17 {
			t.Errorf("%d rejections, want %d", len(gotLines), len(wantLines))
		}
		counts := func(said []byte) string {
			lines := strings.SplitAfter(string(said), "\n")[:4] // the samples are in no order
			if processors > 1 {
				lines = slices.Delete(lines, 2, 3) // nor are the texts, so the archive has another size
			}
			return strings.Join(lines, "")
		}
		if counts(said) != counts(wantSaid.Bytes()) {
			t.Errorf("got\n%s\nwant\n%s", said, wantSaid.String())
		}
		left, _ := filepath.Glob(got + ".*")
		if len(left) > 0 {
			t.Errorf("left over: %v", left)
		}
	}
	t.Logf("%d kills", kills)
}

// compiledAndKilled runs heed compile again and again until one run ends, and kills the others at random times. It returns
// how many it has killed, and what the last one said.
func compiledAndKilled(t *testing.T, processors int, arguments []string) (kills int, said []byte) {
	t.Helper()
	most := 50
	if !portion.Of(4) {
		most = 12
	}
	for {
		c := exec.Command(os.Args[0])
		c.Env = append(os.Environ(), killed+"="+strings.Join(arguments, "\n"), fmt.Sprint("GOMAXPROCS=", processors))
		var stderr bytes.Buffer
		c.Stderr = &stderr
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		if kills < most {
			time.AfterFunc(time.Duration(30+rand.IntN(150))*time.Millisecond, func() { c.Process.Kill() })
		}
		err := c.Wait()
		if err == nil {
			return kills, stderr.Bytes()
		}
		if c.ProcessState.Exited() || kills == most {
			t.Fatalf("after %d kills: %v: %s", kills, err, stderr.String())
		}
		kills++
	}
}

// makeSources makes a file of each kind that has many captures, and a folder.
func makeSources(t *testing.T, dir string) []string {
	write := func(name string, text []byte) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	var lines [3]bytes.Buffer
	for i := range 6000 {
		to := &lines[i%len(lines)]
		if i%500 == 0 {
			fmt.Fprintln(to, `{"origin":"no host","status":404}`)
		}
		fmt.Fprintf(to, "{\"origin\":\"https://h%d.example\",\"fetched\":\"2026-05-%02dT00:00:00Z\",\"body\":\"User-agent: *\\nDisallow: /%d\\n%s\"}\n", i%4000, 1+i%28, i%3000, strings.Repeat("#", i%600))
	}
	sources := []string{write("0.jsonl", lines[0].Bytes()), write("1.jsonl", lines[1].Bytes())}
	older := filepath.Join(dir, "older.heed")
	if err := compiled(io.Discard, write("2.jsonl", lines[2].Bytes()), "-o", older); err != nil {
		t.Fatal(err)
	}
	for i := range 200 {
		write(fmt.Sprintf("folder/f%d.example", i), []byte("User-agent: *\nDisallow: /folder"))
	}
	write("folder/no host", nil)
	return append(sources, older, filepath.Join(dir, "folder"), write("crawl.parquet", makeTable(t)))
}

// makeTable returns a table in Parquet, with the names of others. Some of its rows cannot be used.
func makeTable(t *testing.T) []byte {
	type row struct {
		Host    string `parquet:"host"`
		Fetched int64  `parquet:"fetched_at_ms"`
		Status  *int32 `parquet:"status,optional"`
		Body    []byte `parquet:"body"`
	}
	var file bytes.Buffer
	to := parquet.NewGenericWriter[row](&file, parquet.MaxRowsPerRowGroup(150))
	for i := range 3000 {
		r := row{fmt.Sprintf("h%d.example", i), 1_700_000_000_000 + int64(i), new(int32(200)), fmt.Appendf(nil, "User-agent: *\nDisallow: /%d", i%1000)}
		if i%400 == 0 {
			r.Status = nil
		}
		if _, err := to.Write([]row{r}); err != nil {
			t.Fatal(err)
		}
	}
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// contentOf returns the captures of an archive, with their texts.
func contentOf(t *testing.T, path string) (all []string) {
	r, err := archive.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for c, err := range r.Captures() {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, fmt.Sprintf("%+v", *c))
	}
	slices.Sort(all) // they come in the order of their texts, which differs if two goroutines add them
	return all
}

func sortedLines(t *testing.T, path string) []string {
	lines := strings.Split(strings.TrimSpace(fileOf(t, path)), "\n")
	slices.Sort(lines)
	return lines
}

func fileOf(t *testing.T, path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A run does not go on with other sources, and one without --resume does not throw away what an interrupted one has done. A
// second run cannot write the same archive.
func TestCompileDoesNotGoOn(t *testing.T) {
	dir := t.TempDir()
	sources := makeSources(t, dir)
	output := filepath.Join(dir, "got.heed")
	w, err := archive.Create(output)
	if err != nil {
		t.Fatal(err)
	}
	if err := compiled(io.Discard, append(sources, "-o", output)...); err == nil || !strings.Contains(err.Error(), "another run is writing") {
		t.Errorf("beside another run: %v", err)
	}
	for i := range 3 {
		if err := w.Add(&capture.Capture{URL: "https://a.example/robots.txt", Body: strings.Repeat(fmt.Sprint(i), 9000)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Save([]byte(`{"position":{"of":"others"}}`)); err != nil {
		t.Fatal(err)
	}
	w.Close()
	if err := compiled(io.Discard, append(sources, "-o", output)...); err == nil || !strings.Contains(err.Error(), "got.heed.partial is from a run that was interrupted: continue that run with --resume, or delete the file to start again") {
		t.Errorf("without --resume: %v", err)
	}
	for range 2 { // the first must not change what was saved
		if err := compiled(io.Discard, append(sources, "-o", output, "--resume")...); err == nil || !strings.Contains(err.Error(), "the sources are not those of the interrupted run, or have changed since: give the same sources again") {
			t.Errorf("with other sources: %v", err)
		}
	}
	if err := compiled(io.Discard, append(sources, "-o", output, "--resume", "--rejects", filepath.Join(dir, "r.jsonl"))...); err == nil || !strings.Contains(err.Error(), "the interrupted run, which had none: give the same arguments") {
		t.Errorf("with a file for rejections: %v", err)
	}
	beside := archive.PartialOf(output) + "-aside"
	if err := os.Truncate(beside, 5000); err != nil {
		t.Fatal(err)
	}
	if err := compiled(io.Discard, append(sources, "-o", output, "--resume")...); err == nil || !strings.Contains(err.Error(), "if the file is damaged, delete it to start again") {
		t.Errorf("with a damaged file: %v", err)
	}
	if _, err := os.Stat(beside); err != nil {
		t.Error("what was damaged was thrown away")
	}
	if err := os.Remove(archive.PartialOf(output)); err != nil {
		t.Fatal(err)
	}
	if err := compiled(io.Discard, append(sources, "-o", output)...); err != nil {
		t.Errorf("after the file was removed: %v", err)
	}
	if left, _ := filepath.Glob(output + ".*"); len(left) > 0 {
		t.Errorf("left over: %v", left)
	}
}

// Of several runs that begin at the same moment one makes the archive, and the others are refused.
func TestCompilesAtTheSameMoment(t *testing.T) {
	dir := t.TempDir()
	source := filepath.Join(dir, "a.jsonl")
	if err := os.WriteFile(source, []byte(`{"origin":"https://a.example","status":404}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 20 {
		output := filepath.Join(dir, "a.heed")
		os.Remove(output)
		var all sync.WaitGroup
		var made atomic.Int32
		for range 4 {
			all.Go(func() {
				err := compiled(io.Discard, source, "-o", output)
				if err == nil {
					made.Add(1)
				} else if !strings.Contains(err.Error(), "another run is writing") {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if contentOf(t, output); made.Load() == 0 {
			t.Error("no run was successful")
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "a.heed.*")); len(left) > 0 {
		t.Errorf("left over: %v", left)
	}
}
