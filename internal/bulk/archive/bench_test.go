package archive

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/heed-robots/heed/internal/bulk/capture"
	"github.com/heed-robots/heed/internal/testing/corpus"
)

// site returns a capture of a made site; one in three has a body of its own.
func site(i int) *capture.Capture {
	body := i % 1000
	if i%3 == 0 {
		body = i
	}
	return &capture.Capture{
		URL: fmt.Sprintf("https://www.site-%d.example/robots.txt", i*7919%10_000_019), At: time.Unix(1.7e9+int64(i), 0),
		Facts: capture.Facts{Status: 200},
		Body:  fmt.Sprintf("User-agent: *\nDisallow: /cart/%d\nDisallow: /search\nDisallow: /*?sort=\nAllow: /\n\nUser-agent: GPTBot\nDisallow: /\n\nSitemap: https://www.site-%d.example/sitemap.xml\n", body, body),
	}
}

// made writes an archive of n captures.
func made(b *testing.B, n int) string {
	b.Helper()
	path := filepath.Join(b.TempDir(), "made.heed")
	w, err := Create(path)
	if err != nil {
		b.Fatal(err)
	}
	defer w.Close()
	for i := range n {
		if err := w.Add(site(i)); err != nil {
			b.Fatal(err)
		}
	}
	info, err := w.Commit()
	if err != nil {
		b.Fatal(err)
	}
	b.Logf("%d captures, %d bodies, %d bytes", info.Captures, info.Bodies, info.FileBytes)
	return path
}

const manyCaptures = 1_000_000

// The time to open an archive of a million captures, and then to the first answer.
func BenchmarkOpen(b *testing.B) {
	path := made(b, manyCaptures)
	var first time.Duration
	for i := 0; b.Loop(); i++ {
		r, err := Open(path)
		if err != nil {
			b.Fatal(err)
		}
		start := time.Now()
		if got, err := answers(r, site(i%manyCaptures).URL); err != nil || len(got) != 1 {
			b.Fatal(got, err)
		}
		first += time.Since(start)
		r.Close()
	}
	b.ReportMetric(float64(first.Nanoseconds())/float64(b.N), "ns/first-answer")
}

// The time of an answer: the captures of an origin, without its body and with it.
func BenchmarkAnswer(b *testing.B) {
	r := open(b, made(b, manyCaptures))
	for _, withBody := range []bool{false, true} {
		b.Run(fmt.Sprintf("body=%v", withBody), func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				entries, err := r.Entries(site(i * 611_953 % manyCaptures).URL)
				if err != nil || len(entries) != 1 {
					b.Fatal(entries, err)
				}
				if withBody {
					if _, err := r.Body(entries[0].Body); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}

// The time of an answer without its body, if the keys are asked for in order.
func BenchmarkAnswerInOrder(b *testing.B) {
	const captures = 100_000
	r := open(b, made(b, captures))
	var keys []string
	for i := range captures {
		keys = append(keys, site(i).URL)
	}
	slices.Sort(keys)
	for i := 0; b.Loop(); i++ {
		if entries, err := r.Entries(keys[i%captures]); err != nil || len(entries) != 1 {
			b.Fatal(entries, err)
		}
	}
}

// The time for each capture of an archive, with the commit, which must not depend on how many there are.
func BenchmarkCompile(b *testing.B) {
	for _, captures := range []int{manyCaptures, 5 * manyCaptures} {
		b.Run(fmt.Sprint(captures), func(b *testing.B) {
			for b.Loop() {
				made(b, captures)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*captures), "ns/capture")
		})
	}
}

// The memory of the table of distinct bodies.
func BenchmarkBodyTable(b *testing.B) {
	var before, after runtime.MemStats
	for b.Loop() {
		runtime.GC()
		runtime.ReadMemStats(&before)
		table := map[digest]capture.BodyID{}
		for i := range manyCaptures {
			table[digest(sha256Of(i))] = capture.BodyID(i)
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/float64(len(table)), "bytes/body")
	}
}

func sha256Of(i int) (name digest) {
	sum := sha256.Sum256(fmt.Append(nil, i))
	copy(name[:], sum[:])
	return name
}

// How much of the real files an archive keeps: most sites of a builder have the same file.
func BenchmarkCorpus(b *testing.B) {
	for b.Loop() {
		var captures []capture.Capture
		bytes := 0
		for name, data := range corpus.Files(b, "robots-txt.tar.gz") {
			captures = append(captures, capture.Capture{URL: name, Body: string(data)})
			bytes += len(data)
		}
		path := write(b, captures)
		i := open(b, path).Info()
		b.ReportMetric(100*float64(i.WithBody-i.Bodies)/float64(i.WithBody), "%-repeated")
		b.ReportMetric(100*float64(i.FileBytes)/float64(bytes), "%-of-bytes")
		b.Logf("%d captures, %d bodies, %d bytes of %d; the archive has %d", i.WithBody, i.Bodies, i.BodyBytes, bytes, i.FileBytes)
	}
}
