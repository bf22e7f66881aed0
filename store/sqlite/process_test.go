package sqlite_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/cache/storetest"
	"github.com/heed-robots/heed/internal/testing/portion"
	"github.com/heed-robots/heed/store/sqlite"
)

// child returns a command that runs one of children in a process of its own.
func child(t testing.TB, name string, arguments ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), self, arguments...)
	c.Env = append(os.Environ(), "HEED_SQLITE_CHILD="+name)
	return c
}

func init() {
	children["write"] = func(arguments []string) error {
		n, err := strconv.Atoi(arguments[1])
		if err != nil {
			return err
		}
		return writeOn(arguments[0], n)
	}
	children["once"] = func(arguments []string) error { return putAndGet(arguments[0], arguments[1]) }
}

const writtenOrigins = 10

// written returns the n-th record that is written: its time is n seconds after noon, and its
// body depends on n. Some bodies are those of other records, some are large.
func written(n int) *cache.Record {
	body := fmt.Sprintf("User-agent: *\nDisallow: /%d\n", n)
	switch n % 7 {
	case 1, 2:
		body = fmt.Sprintf("User-agent: *\nDisallow: /%d\n", n/100)
	case 3:
		body = noise(n, 60_000)
	case 4:
		body = ""
	}
	return storetest.Record(storetest.Origin(n%writtenOrigins), noon.Add(time.Duration(n)*time.Second), body)
}

// noise returns the n-th text that cannot be compressed.
func noise(n, size int) string {
	random := rand.NewChaCha8([32]byte{byte(n), byte(n >> 8), byte(n >> 16)})
	text := make([]byte, size)
	random.Read(text)
	return string(text)
}

// writeOn puts records until it is killed, and prints the number of each after its Put has
// returned.
func writeOn(path string, n int) error {
	s, err := sqlite.Open(path, sqlite.Options{Versions: 5})
	if err != nil {
		return err
	}
	for ; ; n++ {
		if err := s.Put(ctx, written(n)); err != nil {
			return err
		}
		fmt.Println(n)
	}
}

// After Put has returned, its record is never lost, whenever the process is killed. Each run kills
// at other moments; HEED_WHOLE kills more often.
func TestKilled(t *testing.T) {
	portion.Skip(t, 3)
	path := filepath.Join(t.TempDir(), "heed.db")
	rounds := 50
	if portion.Whole() {
		rounds = 200
	}
	newest := map[int]int{} // of each origin: the number of the last record that was printed
	next, total := 0, 0
	for round := range rounds {
		var s *sqlite.Store
		if round%2 == 0 { // this process has the file open too
			s = open(t, path)
		}
		for _, n := range writeAndKill(t, path, next) {
			newest[n%writtenOrigins] = n
			total++
		}
		if s == nil {
			s = open(t, path)
		}
		next = max(next, checkNewest(t, s, newest)+1)
		s.Close()
		if t.Failed() {
			t.Fatalf("in round %d", round)
		}
	}
	t.Logf("%d kills, %d records", rounds, total)
	if total < rounds {
		t.Errorf("only %d records were written", total)
	}
	sound(t, path)
}

// writeAndKill returns the numbers that a writer printed before it was killed.
func writeAndKill(t *testing.T, path string, from int) (printed []int) {
	t.Helper()
	writer := child(t, "write", path, strconv.Itoa(from))
	var wrong bytes.Buffer
	writer.Stderr = &wrong
	out, err := writer.StdoutPipe()
	if err == nil {
		err = writer.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	kill := func() {
		time.AfterFunc(5*time.Millisecond+rand.N(55*time.Millisecond), func() { writer.Process.Kill() })
	}
	fromStart := rand.N(3) == 0 // else the process is killed after its first record
	if fromStart {
		kill()
	}
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			break // an unfinished line does not count
		}
		n, err := strconv.Atoi(strings.TrimSpace(line))
		if err != nil {
			t.Fatal(err)
		}
		if printed = append(printed, n); len(printed) == 1 && !fromStart {
			kill()
		}
	}
	if writer.Wait(); wrong.Len() > 0 {
		t.Fatalf("the writer ended by itself: %s", wrong.String())
	}
	return printed
}

// checkNewest checks that a store has the newest record of each origin, or a later one. It
// returns the highest number of a record.
func checkNewest(t *testing.T, s *sqlite.Store, newest map[int]int) (last int) {
	t.Helper()
	last = -1
	for site, n := range newest {
		r, err := s.Get(ctx, storetest.Origin(site))
		if err != nil {
			t.Errorf("record %d: %v", n, err)
			continue
		}
		got := int(r.Answered.End.Sub(noon) / time.Second)
		if got < n {
			t.Errorf("record %d is lost: the store has record %d", n, got)
		}
		if want := written(got); !bytes.Equal(r.Head(), want.Head()) || !bytes.Equal(r.Body(), want.Body()) {
			t.Errorf("record %d is not the one that was written", got)
		}
		history, err := s.History(ctx, storetest.Origin(site))
		if err != nil || len(history) == 0 || !history[0].Last.Equal(r.Answered.End) || !bytes.Equal(history[0].Body, r.Body()) {
			t.Errorf("history of record %d: %v", got, err)
		}
		last = max(last, got)
	}
	return last
}

// sound checks a file with SQLite's integrity check, and that each body is used.
func sound(t *testing.T, path string) {
	t.Helper()
	var answer string
	if err := database(t, path).QueryRow("PRAGMA integrity_check").Scan(&answer); err != nil || answer != "ok" {
		t.Errorf("integrity check: %s, %v", answer, err)
	}
	if n := number(t, path, "SELECT count(*) FROM pragma_foreign_key_check"); n != 0 {
		t.Errorf("%d references to rows that do not exist", n)
	}
	if n := number(t, path, `SELECT count(*) FROM bodies WHERE id NOT IN
		(SELECT body FROM origins WHERE body NOTNULL UNION SELECT body FROM versions WHERE body NOTNULL)`); n != 0 {
		t.Errorf("%d bodies are not used", n)
	}
}

// putAndGet opens a file, puts a record and gets it.
func putAndGet(path, n string) error {
	fmt.Println("started")
	if _, err := io.ReadAll(os.Stdin); err != nil { // wait until all processes have started
		return err
	}
	defer sqlite.WaitLonger()()
	s, err := sqlite.Open(path, sqlite.Options{})
	if err != nil {
		return err
	}
	defer s.Close()
	site, err := strconv.Atoi(n)
	if err != nil {
		return err
	}
	r := storetest.Record(storetest.Origin(site), noon, n)
	if err := s.Put(ctx, r); err != nil {
		return err
	}
	got, err := s.Get(ctx, r.Origin)
	if err == nil && string(got.Body()) != n {
		err = fmt.Errorf("got %q, want %q", got.Body(), n)
	}
	return err
}

// Many processes may make one file at the same time.
func TestManyProcesses(t *testing.T) {
	portion.Skip(t, 4)
	const many = 50
	path := filepath.Join(t.TempDir(), "folder", "heed.db")
	wait, start, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer wait.Close()
	var wg, starting sync.WaitGroup
	for n := range many {
		c := child(t, "once", path, strconv.Itoa(n))
		c.Stdin = wait
		var wrong bytes.Buffer
		c.Stderr = &wrong
		out, err := c.StdoutPipe()
		if err == nil {
			err = c.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		starting.Add(1)
		wg.Go(func() {
			lines := bufio.NewReader(out)
			lines.ReadString('\n') // it has started, or it has failed
			starting.Done()
			io.Copy(io.Discard, lines)
			if err := c.Wait(); err != nil {
				t.Errorf("process %d: %v: %s", n, err, wrong.String())
			}
		})
	}
	starting.Wait()
	start.Close()
	wg.Wait()
	if n := number(t, path, "SELECT count(*) FROM origins"); n != many {
		t.Errorf("%d origins, want %d", n, many)
	}
	sound(t, path)
}

// Many stores of one process may make one file at the same time: closing the file must not
// release the locks of the other stores.
func TestManyStores(t *testing.T) {
	path := filepath.Join(t.TempDir(), "heed.db")
	t.Cleanup(sqlite.WaitLonger())
	var wg sync.WaitGroup
	for n := range 20 {
		wg.Go(func() {
			s, err := sqlite.Open(path, sqlite.Options{})
			if err != nil {
				t.Error(err)
				return
			}
			defer s.Close()
			for i := range 5 {
				if err := s.Put(ctx, storetest.Record(storetest.Origin(n), noon, fmt.Sprint(i))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	sound(t, path)
}
