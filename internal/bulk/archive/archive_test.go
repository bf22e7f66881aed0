package archive

import (
	"bytes"
	"cmp"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
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
	"github.com/heed-robots/heed/internal/testing/portion"
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

// memory is a file in memory.
type memory struct{ *bytes.Reader }

func (memory) Close() error { return nil }

// read opens an archive in memory, which says that it has a size.
func read(t testing.TB, data []byte, size int) (*Reader, error) {
	r, err := newReader(memory{bytes.NewReader(data)}, int64(size), "test")
	if err == nil {
		t.Cleanup(func() { r.Close() })
	}
	return r, err
}

// withSums writes the check sums of pages.
func withSums(data []byte) []byte {
	for at := 0; at+pageSize <= len(data); at += pageSize {
		binary.BigEndian.PutUint32(data[at+usableSize:], sumOf(uint32(at/pageSize+1), data[at:at+pageSize]))
	}
	return data
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

// An archive gives the same answers as the captures in memory, whatever the number of pages and goroutines.
func TestAnswers(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, urls := range []int{0, 1, 30, 2000, 20000} {
		if urls == 20000 && !portion.Whole() {
			continue
		}
		all := random(rng, urls)
		path := filepath.Join(t.TempDir(), "a")
		w, err := Create(path)
		if err != nil {
			t.Fatal(err)
		}
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
		info, err := w.Commit()
		if err != nil {
			t.Fatal(err)
		}
		r := open(t, path)
		if r.Info() != info || info.URLs != int64(urls) {
			t.Errorf("Info is %+v, Commit returned %+v; expected %d URLs", r.Info(), info, urls)
		}
		compareAll(t, r, want(all), urls)
		if lost, err := r.Verify(); lost != 0 || err != nil {
			t.Errorf("Verify: %d, %v", lost, err)
		}
		if files, _ := os.ReadDir(filepath.Dir(path)); len(files) != 1 {
			t.Errorf("files are left over: %v", files)
		}
	}
}

// The info has the right numbers.
func TestInfo(t *testing.T) {
	day := time.Date(2024, 5, 1, 0, 0, 0, 0, time.UTC)
	r := open(t, write(t, []capture.Capture{
		{URL: "a", At: day, Body: "1"},
		{URL: "a", At: day, Body: "1", Order: 1}, // the same again
		{URL: "a", At: day.AddDate(0, 0, 1), Body: "22"},
		{URL: "b", Body: "1"},
		{URL: "c", At: day.AddDate(0, 0, -1), Facts: capture.Facts{Status: 404}},
	}))
	got, size := r.Info(), r.Info().FileBytes
	right := Info{URLs: 3, Captures: 4, WithBody: 3, Bodies: 2, BodyBytes: 3, FileBytes: size, First: day.AddDate(0, 0, -1), Last: day.AddDate(0, 0, 1)}
	if got != right {
		t.Errorf("\n got %+v\nwant %+v", got, right)
	}
	one, _ := r.Entries("a")
	other, _ := r.Entries("b")
	if len(one) != 2 || len(other) != 1 || one[0].Body != other[0].Body || one[0].Body == one[1].Body {
		t.Errorf("equal bodies have other IDs, or others the same: %v, %v", one, other)
	}
}

// The revisits of a robots.txt for which capture.Archives.Find finds no original are counted.
func TestNoOriginal(t *testing.T) {
	const url = "http://a.example/robots.txt"
	at := func(ms int) time.Time { return time.UnixMilli(int64(1_800_000_000_000 + ms)).UTC() }
	revisit := func(status, ms, of int) capture.Capture {
		return capture.Capture{URL: url, At: at(ms), Facts: capture.Facts{Status: status, Location: capture.RevisitOf(url, at(of))}}
	}
	response := func(ms int) capture.Capture {
		return capture.Capture{URL: url, At: at(ms), Facts: capture.Facts{Status: 200}, Body: "x"}
	}
	for _, c := range []struct {
		name     string
		captures []capture.Capture
		want     int64
	}{
		{"found", []capture.Capture{response(1), revisit(200, 2, 1)}, 0},
		{"another status", []capture.Capture{response(1), revisit(203, 2, 1)}, 1},
		{"a second in which there is one capture", []capture.Capture{response(1), revisit(200, 2000, 0)}, 0},
		{"a second in which there are two captures", []capture.Capture{response(1), response(2), revisit(200, 2000, 0)}, 1},
		{"of itself", []capture.Capture{response(1), revisit(200, 2, 2)}, 1},
		{"of a later capture", []capture.Capture{revisit(200, 1, 2), response(2)}, 1},
		{"a chain", []capture.Capture{revisit(200, 2, 1), revisit(200, 3, 2), revisit(200, 4, 3)}, 3},
		{"unknown, so already rejected", []capture.Capture{{URL: url, Facts: capture.Facts{Status: 200, Location: capture.UnknownOriginal}}}, 0},
	} {
		w, err := Create(filepath.Join(t.TempDir(), "a"))
		if err != nil {
			t.Fatal(err)
		}
		for i := range c.captures {
			if err := w.Add(&c.captures[i]); err != nil {
				t.Fatal(err)
			}
		}
		if info, err := w.Commit(); err != nil || info.NoOriginal != c.want {
			t.Errorf("%s: %d, %v; want %d", c.name, info.NoOriginal, err, c.want)
		}
	}
}

// All captures come out, with their order, and an archive of them is the same file.
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
		slices.SortFunc(all, func(a, b capture.Capture) int {
			return cmp.Or(strings.Compare(a.URL, b.URL), cmp.Compare(a.Order, b.Order))
		})
	}
	if from[0].Info().Captures != int64(len(all)) {
		t.Errorf("%d captures, expected %d", len(all), from[0].Info().Captures)
	}
	if !slices.IsSortedFunc(all, func(a, b capture.Capture) int {
		return cmp.Or(strings.Compare(a.URL, b.URL), a.At.Compare(b.At), cmp.Compare(a.Order, b.Order))
	}) {
		t.Error("the captures are not in the right order")
	}
	if again, _ := os.ReadFile(write(t, all)); !bytes.Equal(again, files[1]) {
		t.Error("an archive of the captures of an archive is another file")
	}
	for range from[0].Captures() { // may end early
		break
	}
}

// A URL can have more captures than a page has room.
func TestManyCapturesOfOneURL(t *testing.T) {
	portion.Skip(t, 4)
	var all []capture.Capture
	for i := range 20000 {
		all = append(all, capture.Capture{URL: key(i % 3), At: time.Unix(int64(i), 0).UTC(), Facts: capture.Facts{Location: strings.Repeat("x", i%100)}})
	}
	compareAll(t, open(t, write(t, all)), want(all), 3)
}

// The longest URLs and the largest body are kept; what is longer is an error which loses nothing else.
func TestLimits(t *testing.T) {
	portion.Skip(t, 4)
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
		{URL: "a", At: time.Date(2300, 1, 1, 0, 0, 0, 0, time.UTC)}, {URL: "a", Facts: capture.Facts{Status: 1000}}, {URL: "a", Facts: capture.Facts{Status: -1}}, {URL: "a", Body: kept[0].Body + "a"}} {
		if err := w.Add(&c); !errors.Is(err, ErrCapture) {
			t.Errorf("URL of %d bytes, %v: %v", len(c.URL), c.Facts.Status, err)
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
	if _, err := Open(w.name); !errors.Is(err, ErrDamaged) {
		t.Error(err)
	}
}

func TestOpenErrors(t *testing.T) {
	data, _ := os.ReadFile(write(t, random(rand.New(rand.NewPCG(1, 2)), 5)))
	newer := slices.Clone(data)
	newer[63]++
	for _, test := range []struct {
		data []byte
		is   error
		says string
	}{
		{nil, ErrNotArchive, "not an archive"},
		{[]byte("User-agent: *\nDisallow: /\n"), ErrNotArchive, "not an archive"},
		{[]byte("HEEDARC\x01"), ErrVersion, "the archive has version 1; expected version 2: "},
		{newer, ErrVersion, "the archive has version 3; expected version 2"},
		{newer[:100], ErrVersion, "the archive has version 3"},
		{data[:50], ErrNotArchive, "not an archive"},
		{data[:100], ErrDamaged, "the file ends after 100 bytes"},
		{data[:len(data)-1], ErrDamaged, fmt.Sprintf("expected a file of %d bytes, found %d", len(data), len(data)-1)},
		{append(slices.Clone(data), 'x'), ErrDamaged, fmt.Sprintf("expected a file of %d bytes, found %d", len(data), len(data)+1)},
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

// step returns how far apart the bytes of a file are that a test damages.
func step(length int) int {
	if portion.Whole() {
		return 1
	}
	return max(1, length/150) | 1
}

// With one bit changed, or the file cut, each answer is right or an error.
func TestDamage(t *testing.T) {
	const urls = 40
	all := random(rand.New(rand.NewPCG(5, 6)), urls)
	for i := range 60 { // several pages
		all = append(all, capture.Capture{URL: key(i % urls), Body: strings.Repeat(fmt.Sprintf("Disallow: /%d\n", i*7919), i), Order: 9})
	}
	data, _ := os.ReadFile(write(t, all))
	right := map[string][]answer{}
	for i := range urls {
		right[key(i)], _ = answers(want(all), key(i))
	}
	captures := open(t, write(t, all)).Info().Captures
	look := func(damaged []byte) (lost int) {
		r, err := newReader(memory{bytes.NewReader(damaged)}, int64(len(data)), "test")
		if err != nil {
			if !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrNotArchive) && !errors.Is(err, ErrVersion) {
				t.Fatal(err)
			}
			return urls
		}
		defer r.Close()
		for i := -1; i <= urls; i++ { // the first and the last are in no archive
			got, err := answers(r, key(i))
			switch {
			case err != nil && !errors.Is(err, ErrDamaged):
				t.Fatal(err)
			case err != nil:
				lost++
			case !reflect.DeepEqual(got, right[key(i)]):
				t.Fatalf("%s: got %v, expected %v", key(i), got, right[key(i)])
			}
		}
		gone, err := r.Verify()
		if err == nil {
			t.Fatalf("Verify: %d, no error", gone)
		}
		yielded := int64(0)
		for c, err := range r.Captures() {
			if err == nil {
				yielded++
			} else if !errors.Is(err, ErrDamaged) || c != nil {
				t.Fatal(err)
			}
		}
		if yielded+gone != captures {
			t.Fatalf("%d of %d captures; Verify: %d", yielded, captures, gone)
		}
		return lost
	}
	costs := map[int]int{}
	for i := 0; i < len(data); i += step(len(data)) {
		damaged := slices.Clone(data)
		damaged[i] ^= 1 << (i % 8)
		costs[look(damaged)]++
		look(data[:i]) // was cut after the size was read
		if _, err := read(t, data[:i], i); err == nil {
			t.Errorf("cut after %d bytes, and opened", i)
		}
	}
	t.Logf("%d bytes; bytes by how many of %d URLs a wrong bit costs: %v", len(data), urls, costs)
	if costs[urls] == len(data) {
		t.Error("each wrong bit costs everything")
	}
}

// A damaged page costs only what is in it, and compiling the archive again saves the others.
func TestDamagedPages(t *testing.T) {
	const urls = 2000
	data, _ := os.ReadFile(write(t, random(rand.New(rand.NewPCG(7, 8)), urls)))
	whole, err := read(t, data, len(data))
	if err != nil {
		t.Fatal(err)
	}
	stride := 20
	if portion.Whole() {
		stride = 1
	}
	small, pages, most := 0, 0, int64(0)
	for number := 5; number < len(data)/pageSize; number += stride {
		damaged := slices.Clone(data)
		damaged[number*pageSize+2000] ^= 1
		r, err := read(t, damaged, len(data))
		if err != nil {
			t.Fatal(err)
		}
		lost := 0
		for i := range urls {
			if _, err := answers(r, key(i)); errors.Is(err, ErrDamaged) {
				lost++
			} else if err != nil {
				t.Fatal(err)
			}
		}
		gone, wrong := r.Verify()
		saved := int64(0)
		for _, err := range r.Captures() {
			if err == nil {
				saved++
			}
		}
		if lost == 0 || wrong == nil || saved != whole.Info().Captures-gone {
			t.Errorf("page %d: %d of %d URLs are lost, and %d of %d captures are saved; Verify: %d, %v", number, lost, urls, saved, whole.Info().Captures, gone, wrong)
		}
		if pages++; lost < urls/5 {
			small++
		}
		most = max(most, gone)
	}
	if small < pages*9/10 || most > whole.Info().Captures/10 {
		t.Errorf("of %d pages, %d cost less than a fifth of the URLs; one costs %d captures", pages, small, most)
	}
}

// A page in the place of another one is damaged: what is in it would be missed, or found as something else.
func TestMovedPages(t *testing.T) {
	data, _ := os.ReadFile(write(t, random(rand.New(rand.NewPCG(7, 8)), 2000)))
	for at := 4 * pageSize; at+2*pageSize <= len(data); at += 2 * pageSize {
		one, other := data[at:][:pageSize], data[at+pageSize:][:pageSize]
		kept := slices.Clone(one)
		copy(one, other)
		copy(other, kept)
	}
	r, err := read(t, data, len(data))
	if err != nil {
		t.Fatal(err)
	}
	if lost, err := r.Verify(); !errors.Is(err, ErrDamaged) || lost != r.Info().Captures {
		t.Errorf("%d of %d captures are lost; %v", lost, r.Info().Captures, err)
	}
}

// An archive with random changes and right check sums takes neither much memory nor much time.
func TestForged(t *testing.T) {
	const urls = 300
	data, _ := os.ReadFile(write(t, random(rand.New(rand.NewPCG(7, 8)), urls)))
	rng := rand.New(rand.NewPCG(9, 10))
	times := 12
	if portion.Whole() {
		times = 3000
	}
	for range times {
		forged := slices.Clone(data)
		for range 1 + rng.IntN(3) {
			page := forged[pageSize*(1+rng.IntN(len(data)/pageSize-1)):][:pageSize]
			if rng.IntN(4) == 0 { // the roots
				page = forged[pageSize*(1+rng.IntN(4)):][:pageSize]
			}
			switch rng.IntN(3) {
			case 0:
				page[rng.IntN(100)] = byte(rng.Uint32())
			case 1:
				page[rng.IntN(usableSize)] = byte(rng.Uint32())
			case 2: // another page, perhaps of another table
				copy(page, forged[pageSize*(1+rng.IntN(len(data)/pageSize-1)):][:pageSize])
			}
		}
		lookAt(t, withSums(forged))
	}
}

// lookAt reads all of an archive, which may be forged, and checks what that costs.
func lookAt(t *testing.T, data []byte) {
	t.Helper()
	start := time.Now()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r, err := newReader(memory{bytes.NewReader(data)}, int64(len(data)), "test")
	if err != nil {
		if !errors.Is(err, ErrDamaged) {
			t.Fatal(err)
		}
		return
	}
	defer r.Close()
	n := 0
	for range r.Captures() {
		n++
	}
	for i := range 20 {
		r.Entries(key(i * 10))
	}
	r.Verify()
	runtime.ReadMemStats(&after)
	if taken := after.TotalAlloc - before.TotalAlloc; n > len(data) || taken > 256<<20+uint64(32*len(data)) || time.Since(start) > time.Minute {
		t.Errorf("%d captures of %d bytes; %d bytes taken in %s", n, len(data), taken, time.Since(start))
	}
}

// changed returns an archive that was changed with SQL, with right check sums.
func changed(t *testing.T, path, query string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(t.TempDir(), "changed")
	if err := os.WriteFile(copied, data, 0o600); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", copied)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(query); err != nil {
		t.Fatal(query, err)
	}
	if data, err = os.ReadFile(copied); err != nil {
		t.Fatal(err)
	}
	return withSums(data)
}

// A file with anything else than our tables is refused.
func TestOtherTables(t *testing.T) {
	path := write(t, random(rand.New(rand.NewPCG(7, 8)), 50))
	for _, query := range []string{
		"CREATE VIEW v AS SELECT 1", "CREATE TRIGGER t AFTER INSERT ON info BEGIN SELECT 1; END", "CREATE INDEX i ON captures (at)",
		"ALTER TABLE captures ADD COLUMN x AS (hex(zeroblob(status * 200000000)))", "ALTER TABLE info RENAME TO infos", "DROP TABLE captures",
		"ALTER TABLE bodies RENAME TO b; CREATE VIEW bodies AS SELECT * FROM b", "PRAGMA writable_schema = 1; UPDATE sqlite_schema SET sql = replace(sql, 'url', 'Url')",
		"PRAGMA journal_mode = wal", "VACUUM",
	} {
		if _, err := read(t, changed(t, path, query), len(changed(t, path, query))); !errors.Is(err, ErrNotArchive) {
			t.Errorf("%s: %v", query, err)
		}
	}
}

// Values that no Writer writes are errors, or at least take little memory.
func TestForgedValues(t *testing.T) {
	portion.Skip(t, 3)
	path := write(t, []capture.Capture{{URL: "a", Body: strings.Repeat("a", 1000), At: time.Unix(1, 0)}, {URL: "b", Body: "b"}})
	for _, query := range []string{
		"UPDATE bodies SET size = 1 << 31", "UPDATE bodies SET size = 64 << 20", "UPDATE bodies SET size = -1", "UPDATE bodies SET size = 999", "UPDATE bodies SET size = 'x'",
		"UPDATE bodies SET size = 1001",
		"UPDATE bodies SET data = zeroblob(80000000)", "UPDATE bodies SET data = zeroblob(20)", "DELETE FROM bodies", "UPDATE bodies SET data = substr(data, 1, length(data) - 4) || x'01020304'",
		"UPDATE captures SET body = 1 << 62", "UPDATE captures SET body = -1", "UPDATE captures SET location = zeroblob(20000000)",
		"UPDATE captures SET page = zeroblob(20000000)", "UPDATE captures SET at = 'a'", "UPDATE captures SET status = 'a'",
		"UPDATE captures SET url = 'a' || zeroblob(20000000) WHERE url = 'a'", "UPDATE captures SET status = zeroblob(20000000)", "DELETE FROM captures",
		"UPDATE captures SET place = 1 << 33", "UPDATE captures SET place = -1",
	} {
		data := changed(t, path, query)
		r, err := read(t, data, len(data))
		if err != nil {
			t.Errorf("%s: %v", query, err)
			continue
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		got, err := answers(r, "a")
		runtime.ReadMemStats(&after)
		if taken := after.TotalAlloc - before.TotalAlloc; err != nil && !errors.Is(err, ErrDamaged) || err == nil && len(got) > 0 || taken > 16<<20 {
			t.Errorf("%s: %d bytes taken, %v, %v", query, taken, got, err)
		}
		if _, err := r.Verify(); err == nil && !strings.Contains(query, "body =") {
			t.Errorf("%s: Verify finds no damage", query)
		}
	}
	for _, query := range []string{"DELETE FROM info", "UPDATE info SET captures = -1", "UPDATE info SET bodies = 1 << 60", "UPDATE info SET urls = 'x'"} {
		data := changed(t, path, query)
		if _, err := read(t, data, len(data)); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v", query, err)
		}
	}
}

// Pages that are used again and again, as a tree, come to an end.
func TestForgedTree(t *testing.T) {
	portion.Skip(t, 3)
	data, _ := os.ReadFile(write(t, random(rand.New(rand.NewPCG(7, 8)), 20000)))
	for root := 1; root < 5; root++ {
		page := data[root*pageSize:][:pageSize]
		const tableInterior, indexInterior = 5, 2
		if page[0] != tableInterior && page[0] != indexInterior {
			continue
		}
		for _, target := range []int{root, len(data)/pageSize - 1} { // all children are the root itself, or one page
			forged := slices.Clone(data)
			page := forged[root*pageSize:][:pageSize]
			for i := range int(binary.BigEndian.Uint16(page[3:])) {
				binary.BigEndian.PutUint32(page[binary.BigEndian.Uint16(page[12+2*i:]):], uint32(target+1))
			}
			lookAt(t, withSums(forged))
		}
	}
}

// The captures of a URL are not read again and again, where pages are used many times.
func TestForgedOrder(t *testing.T) {
	var all []capture.Capture
	for i := range 20000 {
		all = append(all, capture.Capture{URL: "a", Order: int64(i), Facts: capture.Facts{Status: i % 600}})
	}
	data, _ := os.ReadFile(write(t, all))
	root := data[(capturesRoot-1)*pageSize:][:pageSize]
	for i := range int(big.Uint16(root[3:])) {
		copy(root[big.Uint16(root[12+2*i:]):][:4], root[8:12]) // all children are the last one
	}
	r, err := read(t, withSums(data), len(data))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := r.Entries("a"); err == nil || !strings.Contains(err.Error(), "not in the right order") {
		t.Errorf("%d captures, %v", len(got), err)
	}
}

// A URL that is in several pages is never missed because one of them is damaged.
func TestDamagedLongURLs(t *testing.T) {
	var all []capture.Capture
	for i := range 20 {
		all = append(all, capture.Capture{URL: fmt.Sprintf("%02d%s", i, strings.Repeat("k", 5000))})
	}
	data, _ := os.ReadFile(write(t, all))
	for at := 4 * pageSize; at < len(data); at += pageSize {
		data[at+2000] ^= 1
		r, err := read(t, data, len(data))
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range all {
			if got, err := r.Entries(c.URL); err == nil && len(got) != 1 {
				t.Errorf("page %d: %.2s is missed", at/pageSize+1, c.URL)
			}
		}
		data[at+2000] ^= 1
	}
}

// Other programs can read an archive.
func TestPython(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip(err)
	}
	path := write(t, random(rand.New(rand.NewPCG(7, 8)), 200))
	program := `
import sqlite3, sys, zlib
db = sqlite3.connect("file:" + sys.argv[1] + "?mode=ro&immutable=1", uri=True)
assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
for size, data in db.execute("SELECT size, data FROM bodies"):
    assert len(zlib.decompress(data)) == size
print(*db.execute("SELECT count(*), count(DISTINCT url), count(nullif(body, 0)), count(DISTINCT nullif(body, 0)), max(at) FROM captures").fetchone())
`
	out, err := exec.Command(python, "-c", program, path).CombinedOutput()
	i := open(t, path).Info()
	if want := fmt.Sprintln(i.Captures, i.URLs, i.WithBody, i.Bodies, i.Last.UnixNano()); err != nil || string(out) != want {
		t.Errorf("%s, %v; want %s", out, err, want)
	}
}

// A process that is killed while it writes leaves the older archive as it was, and no other that can be opened.
func TestKill(t *testing.T) {
	const variable = "HEED_TEST_ARCHIVE"
	all := random(rand.New(rand.NewPCG(7, 8)), 5000)
	if path := os.Getenv(variable); path != "" {
		for {
			w, err := Create(path)
			if err != nil {
				t.Fatal(err)
			}
			for i := range all {
				w.Add(&all[i])
			}
			w.Commit()
		}
	}
	path := write(t, all)
	for i := range 10 {
		if !portion.Of(3) {
			continue
		}
		c := exec.Command(os.Args[0], "-test.run=TestKill")
		c.Env = append(os.Environ(), variable+"="+path)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(i) * 80 * time.Millisecond)
		c.Process.Kill()
		c.Wait()
		if _, err := open(t, path).Verify(); err != nil {
			t.Fatal(err)
		}
	}
	files, _ := filepath.Glob(path + ".partial")
	for _, name := range files {
		if r, err := Open(name); err == nil {
			if _, err := r.Verify(); err != nil { // it was whole, and was killed before it had its name
				t.Errorf("%s can be opened", name)
			}
			r.Close()
		}
	}
}

// overlapping returns an archive whose cells lie on each other, and share the pages with the rest of a row.
func overlapping(t *testing.T, leaves int, body byte) []byte {
	data, _ := os.ReadFile(write(t, []capture.Capture{{URL: "a", Body: "x"}}))
	add := func() (uint32, []byte) {
		data = append(data, make([]byte, pageSize)...)
		return uint32(len(data) / pageSize), data[len(data)-pageSize:]
	}
	chain := uint32(0)
	for range 3 {
		n, p := add()
		big.PutUint32(p, chain)
		copy(p[4:usableSize], bytes.Repeat([]byte{'L'}, usableSize))
		chain = n
	}
	place := 0
	var children []uint32
	var between []int
	for range leaves {
		n, p := add()
		children = append(children, n)
		p[0] = indexLeaf
		const stride, cells = 31, 109
		big.PutUint16(p[3:], cells)
		first := 8 + 2*cells
		for i := range cells {
			o := first + stride*i
			big.PutUint16(p[8+2*i:], uint16(o))
			place++
			copy(p[o:], []byte{0x80 | 12753>>7, 12753 & 0x7f, 13, 15, 3, 0, 8, 0x80 | 25485>>14, 0x80 | 25485>>7&0x7f, 25485 & 0x7f, 8, 13, 8, 8, body,
				'a', byte(place >> 16), byte(place >> 8), byte(place)})
			big.PutUint32(p[o+491:], chain)
		}
		place++
		between = append(between, place)
	}
	root := data[(capturesRoot-1)*pageSize:][:pageSize]
	clear(root)
	root[0] = 2
	big.PutUint16(root[3:], uint16(leaves-1))
	at := 12 + 2*leaves
	for i := range leaves - 1 {
		big.PutUint16(root[12+2*i:], uint16(at))
		row := []byte{0, 0, 0, 0, 15, 11, 15, 3, 0, 8, 13, 8, 13, 8, 8, 8, 'a', byte(between[i] >> 16), byte(between[i] >> 8), byte(between[i])}
		big.PutUint32(row, children[i])
		at += copy(root[at:], row)
	}
	big.PutUint32(root[8:], children[leaves-1])
	big.PutUint32(data[atPages:], uint32(len(data)/pageSize))
	return withSums(data)
}

// Captures that lie on each other would take hundreds of times the memory of the file.
func TestOverlappingCaptures(t *testing.T) {
	data := overlapping(t, 170, 8)
	r, err := read(t, data, len(data))
	if err != nil {
		t.Fatal(err)
	}
	if all, err := r.Entries("a"); !errors.Is(err, ErrDamaged) {
		t.Errorf("%d captures from %d bytes, %v", len(all), len(data), err)
	}
	first := int64(0)
	for number := range len(data) / pageSize { // a page that says it has more cells than it can have
		if page := data[number*pageSize:][:pageSize]; number > 0 && page[0] == indexLeaf {
			big.PutUint16(page[3:], 65535)
			first++
		}
	}
	if r, err = read(t, withSums(data), len(data)); err != nil {
		t.Fatal(err)
	}
	n := int64(0)
	for range r.Captures() {
		n++
	}
	if n > first {
		t.Errorf("%d answers from pages with too many cells", n)
	}
}

// A process that was killed after the captures were put in order, and before the archive had its name, does not do that again.
func TestResumeAfterSort(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	w, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Add(&capture.Capture{URL: "a", Body: "b"}), w.Save([]byte("state")), w.sort(), w.close(true)); err != nil {
		t.Fatal(err)
	}
	w, state, err := Resume(path)
	if err != nil || string(state) != "state" {
		t.Fatal(w, state, err)
	}
	info, err := w.Commit()
	if err != nil || info.Captures != 1 || info.Bodies != 1 {
		t.Errorf("%+v, %v", info, err)
	}
	if _, err := open(t, path).Verify(); err != nil {
		t.Error(err)
	}
}
