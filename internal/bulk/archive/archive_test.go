package archive

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/bulk/capture"
)

// write writes an archive of captures, and returns its path.
func write(t testing.TB, captures []capture.Capture) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "test.heed")
	w, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for i := range captures {
		if err := w.Add(&captures[i]); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	return path
}

func open(t testing.TB, path string) *Reader {
	t.Helper()
	r, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// key returns the URL of a robots.txt.
func key(i int) string { return fmt.Sprintf("https://www%d.example.com/robots.txt", i) }

// random returns captures of a number of URLs, with many equal bodies.
func random(rng *rand.Rand, urls int) (all []capture.Capture) {
	for i := range urls {
		for n := range 1 + rng.IntN(3) {
			c := capture.Capture{URL: key(i), Order: int64(n)}
			if rng.IntN(4) > 0 {
				c.At = time.Date(2024, 5, 1+rng.IntN(3), 12, 0, rng.IntN(3), rng.IntN(2)*500, time.UTC)
			}
			c.Facts = capture.Facts{Status: rng.IntN(600), Failed: rng.IntN(9) == 0, Page: []fetch.Page{fetch.NoPage, fetch.NoPage, fetch.HTML, fetch.JSON}[rng.IntN(4)],
				SaysNotFound: rng.IntN(9) == 0, Truncated: rng.IntN(9) == 0}
			if rng.IntN(3) == 0 {
				c.Location = key(rng.IntN(urls))
			}
			if rng.IntN(3) > 0 {
				c.Body = "User-agent: *\nDisallow: /" + strings.Repeat(fmt.Sprint(rng.IntN(urls/3+1)), rng.IntN(40)) + "\n"
			}
			all = append(all, c)
		}
	}
	return all
}

// want is what an archive has, in memory.
func want(captures []capture.Capture) *capture.Set {
	var s capture.Set
	for i := range captures {
		s.Add(&captures[i])
	}
	s.Seal()
	return &s
}

// answer is an entry with its body instead of its ID.
type answer struct {
	capture.Entry
	body string
}

func answers(a capture.Archive, key string) (all []answer, err error) {
	entries, err := a.Entries(key)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		body, err := a.Body(e.Body)
		if err != nil {
			return nil, err
		}
		e.Body = 0
		all = append(all, answer{e, body})
	}
	return all, nil
}

// compareAll compares all answers of an archive with the right ones.
func compareAll(t *testing.T, got, right capture.Archive, urls int) {
	t.Helper()
	for i := -1; i <= urls; i++ {
		a, err := answers(got, key(i))
		b, _ := answers(right, key(i))
		if err != nil || !reflect.DeepEqual(a, b) {
			t.Fatalf("%s:\n got %v, %v\nwant %v", key(i), a, err, b)
		}
	}
}

// An archive gives the same answers as the captures in memory, whatever the number of blocks and levels,
// of goroutines and of sorted runs.
func TestAnswers(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, urls := range []int{0, 1, 30, 2000, 30000} {
		for _, limit := range []int{runSize, 100_000} {
			all := random(rng, urls)
			path := filepath.Join(t.TempDir(), "a")
			w, err := Create(path)
			if err != nil {
				t.Fatal(err)
			}
			w.runs.limit = limit
			var adding sync.WaitGroup
			for part := range slices.Chunk(all, len(all)/3+1) {
				adding.Go(func() {
					for i := range part {
						if err := w.Add(&part[i]); err != nil {
							t.Error(err)
						}
					}
				})
			}
			adding.Wait()
			spilled := len(w.runs.ends)
			info, err := w.Commit()
			if err != nil {
				t.Fatal(err)
			}
			if (spilled > 1) != (limit < runSize && urls >= 2000) {
				t.Errorf("%d URLs: %d runs", urls, spilled)
			}
			r := open(t, path)
			if r.Info() != info || info.URLs != int64(urls) {
				t.Errorf("Info is %+v, Commit returned %+v; expected %d URLs", r.Info(), info, urls)
			}
			compareAll(t, r, want(all), urls)
			if d, err := r.Verify(); err != nil || d != (Damage{}) {
				t.Errorf("Verify: %+v, %v", d, err)
			}
			if files, _ := os.ReadDir(filepath.Dir(path)); len(files) != 1 {
				t.Errorf("files are left over: %v", files)
			}
		}
	}
}

// The header has the right numbers.
func TestInfo(t *testing.T) {
	day := time.Date(2024, 5, 1, 0, 0, 0, 0, time.UTC)
	r := open(t, write(t, []capture.Capture{
		{URL: "a", At: day, Body: "1"},
		{URL: "a", At: day, Body: "1", Order: 1}, // the same again
		{URL: "a", At: day.AddDate(0, 0, 1), Body: "22"},
		{URL: "b", Body: "1"},
		{URL: "c", At: day.AddDate(0, 0, -1), Facts: capture.Facts{Status: 404}},
	}))
	got, size := r.Info(), r.Info().FileOctets
	right := Info{URLs: 3, Captures: 4, WithBody: 3, Bodies: 2, BodyOctets: 3, FileOctets: size, First: day.AddDate(0, 0, -1), Last: day.AddDate(0, 0, 1)}
	if got != right {
		t.Errorf("\n got %+v\nwant %+v", got, right)
	}
	one, _ := r.Entries("a")
	other, _ := r.Entries("b")
	if len(one) != 2 || len(other) != 1 || one[0].Body != other[0].Body || one[0].Body == one[1].Body {
		t.Errorf("equal bodies have other IDs, or others the same: %v, %v", one, other)
	}
}

// All captures come out in order, and an archive of them is the same file.
func TestCaptures(t *testing.T) {
	all := random(rand.New(rand.NewPCG(3, 4)), 3000)
	var from [2]*Reader
	var files [2][]byte
	for i := range from {
		path := write(t, all)
		from[i] = open(t, path)
		files[i], _ = os.ReadFile(path)
		all = nil
		for c, err := range from[i].Captures() {
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, *c)
		}
	}
	if from[0].Info().Captures != int64(len(all)) {
		t.Errorf("%d captures, expected %d", len(all), from[0].Info().Captures)
	}
	if !slices.IsSortedFunc(all, func(a, b capture.Capture) int {
		return compare(newRecord(&a, 0), newRecord(&b, 0))
	}) {
		t.Error("the captures are not in order")
	}
	if again, _ := os.ReadFile(write(t, all)); !bytes.Equal(again, files[1]) {
		t.Error("an archive of the captures of an archive is another file")
	}
	for range from[0].Captures() { // may end early
		break
	}
}

// A URL can have more captures than a block has room.
func TestManyCapturesOfOneURL(t *testing.T) {
	var all []capture.Capture
	for i := range 20000 {
		all = append(all, capture.Capture{URL: key(i % 3), At: time.Unix(int64(i), 0).UTC(), Facts: capture.Facts{Location: strings.Repeat("x", i%100)}})
	}
	compareAll(t, open(t, write(t, all)), want(all), 3)
}

// The longest URLs and the largest body are kept; what is longer is an error which loses nothing else.
func TestLimits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	w, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("k", MaxURL)
	var kept []capture.Capture
	for i := range 9 {
		kept = append(kept, capture.Capture{URL: fmt.Sprint(i) + long[1:], Facts: capture.Facts{Location: long, Status: 999}})
	}
	kept[0].Body = strings.Repeat("a", MaxBody)
	for i := range kept {
		if err := w.Add(&kept[i]); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []capture.Capture{{}, {URL: long + "k"}, {URL: "a", Facts: capture.Facts{Location: long + "k"}},
		{URL: "a", Facts: capture.Facts{Status: 1000}}, {URL: "a", Facts: capture.Facts{Status: -1}}, {URL: "a", Body: kept[0].Body + "a"}} {
		if err := w.Add(&c); !errors.Is(err, ErrCapture) {
			t.Errorf("URL of %d octets, %v: %v", len(c.URL), c.Facts.Status, err)
		}
	}
	if _, err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	r, right := open(t, path), want(kept)
	for _, c := range kept {
		got, err := answers(r, c.URL)
		if expected, _ := answers(right, c.URL); err != nil || !reflect.DeepEqual(got, expected) {
			t.Errorf("%.3s: %v", c.URL, err)
		}
	}
}

// Without Commit there is no archive, and nothing is left. A Writer that is closed says so.
func TestClose(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	w, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w.runs.limit = 1
	if err := w.Add(&capture.Capture{URL: "a", Body: "b"}); err != nil {
		t.Fatal(err)
	}
	w.Close()
	if files, _ := os.ReadDir(filepath.Dir(path)); len(files) != 0 {
		t.Errorf("files are left over: %v", files)
	}
	if err := w.Add(&capture.Capture{URL: "a", Body: "c"}); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("Add: %v", err)
	}
	if _, err := w.Commit(); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("Commit: %v", err)
	}
}

// A file that was not finished is no archive.
func TestUnfinished(t *testing.T) {
	w, err := Create(filepath.Join(t.TempDir(), "a"))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for _, c := range random(rand.New(rand.NewPCG(1, 2)), 100) {
		w.Add(&c)
	}
	w.out.Flush()
	if _, err := Open(w.file.Name()); !errors.Is(err, ErrNotArchive) {
		t.Error(err)
	}
}

func TestOpenErrors(t *testing.T) {
	data, _ := os.ReadFile(write(t, random(rand.New(rand.NewPCG(1, 2)), 5)))
	older, newer := slices.Clone(data), slices.Clone(data)
	older[7], newer[7] = Version-1, Version+1
	for _, test := range []struct {
		data []byte
		is   error
		says string
	}{
		{nil, ErrNotArchive, "not an archive"},
		{[]byte("User-agent: *\nDisallow: /\n"), ErrNotArchive, "not an archive"},
		{older, ErrVersion, "it is version 0, and this heed reads version 1: compile the archive again"},
		{newer, ErrVersion, "it is version 2, and this heed reads version 1"},
		{newer[:8], ErrVersion, "it is version 2"},
		{data[:50], ErrDamaged, "cut after 50 octets"},
		{data[:len(data)-1], ErrDamaged, fmt.Sprintf("expected %d octets, found %d", len(data), len(data)-1)},
		{append(slices.Clone(data), 'x'), ErrDamaged, fmt.Sprintf("expected %d octets, found %d", len(data), len(data)+1)},
	} {
		path := filepath.Join(t.TempDir(), "a")
		os.WriteFile(path, test.data, 0o600)
		if _, err := Open(path); !errors.Is(err, test.is) || !strings.Contains(err.Error(), test.says) || !strings.HasPrefix(err.Error(), path) {
			t.Errorf("expected %q, found %v", test.says, err)
		}
	}
	if _, err := Open(t.TempDir()); !errors.Is(err, ErrNotArchive) {
		t.Errorf("a folder: %v", err)
	}
	if _, err := Open("none"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// With one bit changed, or the file cut, each answer is right or an error.
func TestDamage(t *testing.T) {
	const urls = 40
	all := random(rand.New(rand.NewPCG(5, 6)), urls)
	all = append(all, capture.Capture{URL: key(urls - 1), Body: strings.Repeat("Disallow: /a\n", 50), Order: 9})
	data, _ := os.ReadFile(write(t, all))
	right := map[string][]answer{}
	for i := range urls {
		right[key(i)], _ = answers(want(all), key(i))
	}
	captures := int64(0)
	for _, all := range right {
		captures += int64(len(all))
	}
	look := func(t *testing.T, damaged []byte, size int64) (lost int) {
		r, err := newReader(bytes.NewReader(damaged), size, "test")
		if err != nil {
			return urls
		}
		for url, expected := range right {
			got, err := answers(r, url)
			switch {
			case err != nil && !errors.Is(err, ErrDamaged):
				t.Fatal(err)
			case err != nil:
				lost++
			case !reflect.DeepEqual(got, expected):
				t.Fatalf("%s: got %v, expected %v", url, got, expected)
			}
		}
		d, err := r.Verify()
		if err != nil || (d.First == nil) != (d.Captures == 0 && d.Bodies == 0) || d.First == nil || d.Captures < 0 || d.Bodies < 0 {
			t.Fatalf("Verify: %+v, %v", d, err)
		}
		if size == int64(len(damaged)) && (d.Bodies > 1 || d.Captures > 0 && d.Bodies > 0) {
			t.Fatalf("one bit is wrong, and Verify says %+v", d)
		}
		yielded, failed := int64(0), int64(0)
		for c, err := range r.Captures() {
			if err == nil {
				yielded++
				continue
			} else if !errors.Is(err, ErrDamaged) || c != nil {
				t.Fatal(err)
			}
			failed++
		}
		if yielded+d.Captures > captures || yielded == captures || failed == 0 {
			t.Fatalf("%d captures and %d errors; Verify: %+v", yielded, failed, d)
		}
		return lost
	}
	costs := map[int]int{}
	for i := range data {
		damaged := slices.Clone(data)
		damaged[i] ^= 1 << (i % 8)
		costs[look(t, damaged, int64(len(data)))]++
		look(t, data[:i], int64(len(data))) // was cut after the size was read
	}
	t.Logf("%d octets; octets by how many of %d URLs a wrong bit costs: %v", len(data), urls, costs)
	if costs[0] > 0 || costs[1] == 0 {
		t.Errorf("octets by how many of %d URLs a wrong bit costs: %v", urls, costs)
	}
}

// A damaged block of captures costs only the URLs in it.
func TestDamagedBlock(t *testing.T) {
	const urls = 2000
	path := write(t, random(rand.New(rand.NewPCG(7, 8)), urls))
	data, _ := os.ReadFile(path)
	first, err := open(t, path).children(&open(t, path).root, 0)
	if err != nil || first[1].level > 0 {
		t.Fatal(err)
	}
	data[first[1].offset+2000] ^= 1
	r, err := newReader(bytes.NewReader(data), int64(len(data)), "test")
	if err != nil {
		t.Fatal(err)
	}
	lost := 0
	for i := range urls {
		if _, err := r.Entries(key(i)); errors.Is(err, ErrDamaged) {
			lost++
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if d, _ := r.Verify(); lost < 20 || lost > 200 || d.Captures < int64(lost) || d.Captures > 3*int64(lost) || d.Bodies > 0 {
		t.Errorf("%d of %d URLs are lost; Verify: %+v", lost, urls, d)
	}
}

// An archive with random changes and right checksums takes neither much memory nor much time.
func TestForged(t *testing.T) {
	const urls = 2000
	data, _ := os.ReadFile(write(t, random(rand.New(rand.NewPCG(7, 8)), urls)))
	r, err := newReader(bytes.NewReader(data), int64(len(data)), "test")
	if err != nil {
		t.Fatal(err)
	}
	blocks := []child{r.root}
	for i := 0; i < len(blocks); i++ {
		if blocks[i].level > 0 {
			below, err := r.children(&blocks[i], 0)
			if err != nil {
				t.Fatal(err)
			}
			blocks = append(blocks, below...)
		}
	}
	if len(blocks) < 20 {
		t.Fatalf("only %d blocks", len(blocks))
	}
	rng := rand.New(rand.NewPCG(9, 10))
	for range 300 {
		forged := slices.Clone(data)
		c := blocks[rng.IntN(len(blocks))]
		if rng.IntN(2) == 0 {
			c = r.root
		}
		payload := forged[c.offset : c.end()-checksumSize]
		for range 1 + rng.IntN(3) {
			payload[rng.IntN(min(len(payload), 100))] = byte(rng.Uint32())
		}
		little.PutUint32(forged[c.end()-checksumSize:], checksum(c.offset, payload))
		bad, err := newReader(bytes.NewReader(forged), int64(len(forged)), "test")
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for range bad.Captures() {
			n++
		}
		for i := range 20 {
			bad.Entries(key(i * 100))
		}
		if n > len(data) {
			t.Errorf("%d captures of %d octets", n, len(data))
		}
	}
}

// A forged body header does not make the Reader take memory that the file does not have.
func TestForgedBody(t *testing.T) {
	data, _ := os.ReadFile(write(t, []capture.Capture{{URL: "a", Body: strings.Repeat("a", 1000)}}))
	for _, head := range [][2]uint32{{1 << 31, 20}, {MaxBody + 1, 20}, {MaxBody, MaxBody}, {10, 20}, {999, uint32(little.Uint32(data[headerSize+4:]))}} {
		little.PutUint32(data[headerSize:], head[0])
		little.PutUint32(data[headerSize+4:], head[1])
		little.PutUint32(data[headerSize+12:], checksum(headerSize, data[headerSize:headerSize+12]))
		r, err := newReader(bytes.NewReader(data), int64(len(data)), "test")
		if err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err = r.Body(headerSize)
		runtime.ReadMemStats(&after)
		if taken := after.TotalAlloc - before.TotalAlloc; !errors.Is(err, ErrDamaged) || taken > 16<<20 {
			t.Errorf("%v: %d octets taken, %v", head, taken, err)
		}
	}
	for _, id := range []capture.BodyID{1, headerSize - 1, 1 << 63, 1<<64 - 1, capture.BodyID(len(data))} {
		r, _ := newReader(bytes.NewReader(data), int64(len(data)), "test")
		if _, err := r.Body(id); !errors.Is(err, ErrDamaged) {
			t.Errorf("body %d: %v", id, err)
		}
	}
}
