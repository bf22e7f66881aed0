package binding

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/heed-robots/heed/internal/testing/portion"
)

const robots = "User-agent: *\nDisallow: /private\nCrawl-delay: 3\n"

// code returns the code of an error.
func code(err error) Code {
	if e := (*Error)(nil); errors.As(err, &e) {
		return e.Code
	}
	return OK
}

func mustParse(t *testing.T, table *Table, text string) Handle {
	t.Helper()
	h, err := table.Parse([]byte(text), "")
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func mustAgent(t *testing.T, table *Table, f Handle, tokens ...string) Handle {
	t.Helper()
	h, err := table.Agent(f, tokens)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// No handle is given twice, and that of a closed object is an error for every function.
func TestClosed(t *testing.T) {
	var table Table
	seen := map[Handle]bool{}
	for range 100 {
		f := mustParse(t, &table, robots)
		p := mustAgent(t, &table, f, "a")
		for _, h := range []Handle{f, p} {
			if seen[h] || h == 0 || h >= 1<<53 {
				t.Fatalf("the handle %d, after %d others", h, len(seen))
			}
			seen[h] = true
			if err := table.Close(h); err != nil {
				t.Fatal(err)
			}
		}
	}
	open := mustParse(t, &table, robots)
	never := []Handle{0, 1, 1<<53 - 1, 1 << 53, 1<<64 - 1, open + 1, open + 1<<indexBits}
	for h := range seen {
		never = append(never, h)
	}
	for _, h := range never {
		for what, err := range map[string]error{
			"agent":     second(table.Agent(h, nil)),
			"check":     second(table.Check(h, "/")),
			"check all": CheckAll(&table, h, "/", []uint32{1}, make([]Decision, 1)),
			"explain":   second(table.Explain(h, "/")),
			"show":      second(table.Show(h)),
			"diff":      second(table.Diff(h, open, nil)),
			"diff, new": second(table.Diff(open, h, nil)),
			"close":     table.Close(h),
		} {
			if code(err) != Closed {
				t.Errorf("%s of %#x: got %v", what, uint64(h), err)
			}
		}
	}
	if table.size != 2 {
		t.Errorf("%d indexes for at most two objects at once", table.size)
	}
}

func second[T any](_ T, err error) error { return err }

func TestKind(t *testing.T) {
	var table Table
	f := mustParse(t, &table, robots)
	p := mustAgent(t, &table, f, "a")
	for what, err := range map[string]error{
		"agent":     second(table.Agent(p, nil)),
		"check":     second(table.Check(f, "/")),
		"check all": CheckAll(&table, f, "", []uint32{}, nil),
		"explain":   second(table.Explain(f, "/")),
		"show":      second(table.Show(f)),
		"diff":      second(table.Diff(f, p, nil)),
	} {
		if code(err) != Kind {
			t.Errorf("%s: got %v", what, err)
		}
	}
}

// The policies of a closed file can still be used.
func TestPolicyOfClosedFile(t *testing.T) {
	var table Table
	f := mustParse(t, &table, robots)
	p := mustAgent(t, &table, f, "a")
	table.Close(f)
	if d, err := table.Check(p, "/private"); err != nil || d != (Decision{Line: 2, Reason: 1}) {
		t.Errorf("got %+v, %v", d, err)
	}
	if table.held == 0 {
		t.Error("the file of an open policy takes no memory")
	}
	table.Close(p)
	if table.held != 0 {
		t.Errorf("no object is open, and they take %d bytes", table.held)
	}
}

// The memory that is counted is that of the files and policies.
func TestHeld(t *testing.T) {
	var table Table
	h := mustParse(t, &table, robots)
	f, _ := table.fileOf(h)
	p, _ := table.policyOf(mustAgent(t, &table, h, "a"))
	if want := f.file.file.Size() + p.policy.Size(); table.held != want {
		t.Errorf("%d bytes are counted; want %d", table.held, want)
	}
}

// A file that is larger than the limit can be used, though making its policy closes it.
func TestLargeFile(t *testing.T) {
	table := Table{Limit: 10_000}
	f := mustParse(t, &table, robots+strings.Repeat("#", 20_000))
	p := mustAgent(t, &table, f, "a")
	if d, err := table.Check(p, "/private"); err != nil || d.Line != 2 {
		t.Errorf("got %+v, %v", d, err)
	}
	if table.held < 20_000 {
		t.Errorf("the open policy keeps a file of 20,000 bytes, but %d are counted", table.held)
	}
	if code(table.Close(f)) != Closed || table.Close(p) != nil || table.held != 0 {
		t.Errorf("%d bytes are counted at the end", table.held)
	}
}

// An index is not used again after its last handle.
func TestLastGeneration(t *testing.T) {
	var table Table
	mustParse(t, &table, robots)
	table.Close(1 << indexBits)
	table.free[0] = (1<<generationBits - 1) << indexBits
	last := mustParse(t, &table, robots)
	if want := Handle((1<<generationBits - 1) << indexBits); last != want || table.size != 1 {
		t.Fatalf("the last handle is %#x, want %#x", uint64(last), uint64(want))
	}
	table.Close(last)
	if next := mustParse(t, &table, robots); next != 1<<indexBits|1 {
		t.Errorf("the handle after the last one is %#x", uint64(next))
	}
}

func TestFull(t *testing.T) {
	table := Table{size: 1 << indexBits}
	if _, err := table.Parse([]byte(robots), ""); code(err) != Full {
		t.Errorf("got %v", err)
	}
}

// The places of all indexes follow each other, in chunks of double size.
func TestPlace(t *testing.T) {
	wantChunk, wantAt := 0, uint64(0)
	for index := range uint64(100_000) {
		chunk, at := chunkOf(index)
		if chunk != wantChunk || at != wantAt {
			t.Fatalf("%d: chunk %d, %d; want %d, %d", index, chunk, at, wantChunk, wantAt)
		}
		if wantAt++; wantAt == firstChunk<<wantChunk {
			wantChunk, wantAt = wantChunk+1, 0
		}
	}
	if chunk, _ := chunkOf(1<<indexBits - 1); chunk != chunks-1 {
		t.Errorf("the last index is in chunk %d, and there are %d chunks", chunk, chunks)
	}
}

// With a limit, what was used last stays, and the memory is bounded even if nothing is closed.
func TestLimit(t *testing.T) {
	portion.Skip(t, 4)
	const limit = 1 << 20
	table := Table{Limit: limit}
	often := mustAgent(t, &table, mustParse(t, &table, robots), "a")
	lost := 0
	for i := range 20_000 {
		f := mustParse(t, &table, robots+strings.Repeat("#", i%1000))
		mustAgent(t, &table, f, "b")
		if table.held > limit {
			t.Fatalf("%d bytes after %d files", table.held, i)
		}
		if _, err := table.Check(often, "/"); code(err) == Closed {
			lost++
			often = mustAgent(t, &table, mustParse(t, &table, robots), "a")
		}
	}
	if lost > 0 {
		t.Errorf("a policy that was used all the time was closed %d times", lost)
	}
	if table.size > 10_000 {
		t.Errorf("%d indexes, but no more than about 5,000 objects have room", table.size)
	}
}

// If all objects are used all the time, they are closed nevertheless, and none is mistaken for another.
func TestLimitAllUsed(t *testing.T) {
	table := Table{Limit: 100_000}
	handles := make([]Handle, 500) // they do not have room together
	for round := range 20 {
		for i := range handles {
			d, err := table.Check(handles[i], fmt.Sprint("/", i))
			if code(err) == Closed {
				handles[i] = mustAgent(t, &table, mustParse(t, &table, fmt.Sprintf("User-agent: *\n%sDisallow: /%d$", strings.Repeat("\n", i), i)), "a")
				d, err = table.Check(handles[i], fmt.Sprint("/", i))
			}
			if err != nil || int(d.Line) != i+2 || d.Allowed != 0 {
				t.Fatalf("round %d, policy %d: got %+v, %v", round, i, d, err)
			}
		}
	}
}

// Many goroutines use and close the same objects: each call answers rightly, or says that it is closed.
func TestConcurrent(t *testing.T) {
	for _, limit := range []int{0, 50_000} {
		table := Table{Limit: limit}
		var shared [64]struct {
			sync.Mutex
			policy Handle
			line   int
		}
		var all sync.WaitGroup
		for range 10 {
			all.Go(func() {
				for range 3000 {
					s := &shared[rand.IntN(len(shared))]
					s.Lock()
					policy, line := s.policy, s.line
					s.Unlock()
					d, err := table.Check(policy, "/private")
					if err == nil && (int(d.Line) != line || d.Allowed != 0) || err != nil && code(err) != Closed {
						t.Errorf("got %+v, %v; want line %d", d, err, line)
						return
					}
					if err == nil && rand.IntN(4) > 0 {
						continue
					}
					line = rand.IntN(100) + 2
					f, err := table.Parse([]byte("User-agent: *\n"+strings.Repeat("\n", line-2)+"Disallow: /private"), "")
					if err != nil {
						t.Error(err)
						return
					}
					p, err := table.Agent(f, []string{"a"})
					if err != nil && code(err) != Closed {
						t.Error(err)
						return
					}
					table.Close(f)
					s.Lock()
					table.Close(s.policy)
					s.policy, s.line = p, line
					s.Unlock()
				}
			})
		}
		all.Wait()
	}
}
