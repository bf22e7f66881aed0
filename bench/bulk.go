package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/bulk/archive"
	"github.com/heed-robots/heed/internal/bulk/capture"
	"github.com/heed-robots/heed/internal/lines"
	"github.com/heed-robots/heed/internal/ordered"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

const checked = "CCBot"

// A disk could be slower than heed, so the output is thrown away.
func (b *bench) filter(what string, urls int, list, source string, args ...string) *row {
	args = append([]string{b.heed, "filter", "-a", checked, "--robots", b.path(source), b.path(list)}, args...)
	return &row{what: what, count: urls, args: args, to: os.DevNull}
}

func (b *bench) compiled(what string, origins int, from, to string) *row {
	return &row{what: what, count: origins, args: []string{b.heed, "compile", b.path(from), "-o", b.path(to)}}
}

func (b *bench) ceiling(urls int, list string) *row {
	return &row{what: "ceiling: " + list, count: urls, args: self("ceiling", b.path(list)), to: os.DevNull}
}

func (b *bench) writeEmpty() {
	must(os.MkdirAll(b.path("one"), 0o755))
	must(os.WriteFile(b.path("one/no-such-host.example.txt"), nil, 0o644))
	must(os.WriteFile(b.path("none.txt"), nil, 0o644))
}

func (b *bench) bulk() {
	w := readWorld("https://", "http://")
	large := w.with(10 * w.count)
	b.writeEmpty()
	w.writeFolder(b.path("folder"))
	w.writeWARC(b.path("warc"), false)
	w.writeWARC(b.path("crawl"), true)
	w.writeJSON(b.path("robots.jsonl"))
	large.writeJSON(b.path("large.jsonl"))
	list, _ := w.hostList(skewed, b.urls)
	w.writeList(b.path("sorted.txt"), "%s\n", list)
	w.writeParquet(b.path("index.parquet"), list)
	shuffle(list)
	w.writeList(b.path("shuffled.txt"), "%s\n", list)
	w.writeList(b.path("crawl.jsonl"), logLine, list)
	some := list[:min(len(list), 500_000)]
	w.writeList(b.path("some.txt"), "%s\n", some)
	fmt.Printf("\n%d hosts, each with two origins; %s URLs in each list\n", w.count, number(b.urls))
	runRows(1, b.compiled("compile", 2*w.count, "robots.jsonl", "robots.heed"), b.compiled("compile", 2*large.count, "large.jsonl", "large.heed"))
	b.bulkRuns(2 * w.count)
	t := newTable(append([]string{"compiled archive", "size"}, stageNames...)...)
	for _, name := range []string{"robots.heed", "large.heed"} {
		t.row(append([]string{name, mib(sizeOf(b.path(name)))}, stageTimes(b.path(name), w.urls(list[:1]))...)...)
	}
	b.compareParsers(len(some))
}

func (b *bench) bulkRuns(origins int) {
	const archive, folder, one, warc, crawl = "robots.heed", "folder", "one", "warc/*.warc.gz", "crawl/*.warc.gz"
	start := b.filter("start of a process", 1, "none.txt", one)
	loadWARC := b.filter("loading WARC, one gzip member a record", origins, "none.txt", warc)
	loadCrawl := b.filter("loading WARC with requests and metadata", origins, "none.txt", crawl)
	loadWARC.base, loadCrawl.base = start, start
	rows := []*row{
		b.filter("plain lines, shuffled, `--allowed`", b.urls, "shuffled.txt", archive, "--allowed"),
		b.filter("plain lines, sorted by host, `--allowed`", b.urls, "sorted.txt", archive, "--allowed"),
		b.filter("JSON lines in and out, every URL with its verdict", b.urls, "crawl.jsonl", archive),
		b.filter("Parquet in and out, `--allowed`", b.urls, "index.parquet", archive, "--allowed"),
		b.filter("Parquet in and out, every URL with its verdict", b.urls, "index.parquet", archive),
		b.ceiling(b.urls, "shuffled.txt"), b.ceiling(b.urls, "sorted.txt"), b.ceiling(b.urls, "crawl.jsonl"),
		{what: "`heed version`", count: 1, args: []string{b.heed, "version"}},
		start, b.filter("start with an archive", 1, "none.txt", archive), b.filter("start with a folder", 1, "none.txt", folder),
		loadWARC, loadCrawl, b.compiled("`heed compile` of the same", origins, crawl, "crawl.heed"),
		b.filter("the first list without robots.txt files", b.urls, "shuffled.txt", one, "--allowed"),
		b.filter("the first list with WARC", b.urls, "shuffled.txt", warc, "--allowed"),
	}
	runRows(b.rounds, rows...)
	printRows("`heed filter`, to /dev/null", rows...)
	var size int64
	for _, file := range get(filepath.Glob(b.path(crawl))) {
		size += sizeOf(file)
	}
	fmt.Printf("\n`heed compile` of WARC with requests and metadata: %s become %s.\n", mib(size), mib(sizeOf(b.path("crawl.heed"))))
}

// Speed alone would be unfair, so the URLs with different verdicts are counted too.
func (b *bench) compareParsers(urls int) {
	truth, output := b.path("truth"), b.path("output")
	ours := func(source string) *row {
		// The other programs allow all URLs of a file that is not text. --missing=allowed does the same.
		r := b.filter("heed, "+source, urls, "some.txt", source, "--dialect=google", "--missing=allowed", "--allowed")
		r.to = truth
		return r
	}
	theirs := func(what string, command ...string) *row {
		return &row{what: what, count: urls, args: append(command, b.path("folder"), b.path("some.txt"), checked), to: output}
	}
	script := filepath.Join(rivals, "filter.py")
	archive, folder := ours("robots.heed"), ours("folder")
	runRows(b.rounds, archive, folder)
	t := newTable(number(urls)+" URLs, robots.txt files in a folder", "URLs a second", "heed is faster by", "wrongly allowed", "wrongly denied")
	t.row(archive.what, archive.perSecond(), "", "0", "0")
	t.row(folder.what, folder.perSecond(), "", "0", "0")
	for _, r := range []*row{
		theirs("Go, temoto/robotstxt v1.1.2", self("temoto")...),
		theirs("Python, urllib.robotparser", "python3", script, "urllib"),
		theirs("Python, Protego", "/usr/bin/python3", script, "protego"),
	} {
		if err := catchFailure(r.run); err != nil {
			t.row("skipped: " + err.Error())
			continue
		}
		t.row(r.what, r.perSecond(), ratio(float64(r.best.Took), float64(folder.best.Took))+" times",
			linesWithout(output, truth), linesWithout(truth, output))
	}
}

func linesWithout(name, other string) string {
	known, count := map[string]bool{}, 0
	for line := range strings.Lines(string(get(os.ReadFile(other)))) {
		known[line] = true
	}
	for line := range strings.Lines(string(get(os.ReadFile(name)))) {
		if !known[line] {
			count++
		}
	}
	return fmt.Sprint(count)
}

func temotoFilter(folder, list string, to io.Writer) {
	out, policies, urls := bufio.NewWriterSize(to, 1<<20), map[string]any{}, bufio.NewScanner(get(os.Open(list)))
	for urls.Scan() {
		host := hostOf(urls.Text())
		policy, ok := policies[host]
		if !ok {
			policy = temoto.policyOf(get(os.ReadFile(filepath.Join(folder, host+".txt"))), checked)
			policies[host] = policy
		}
		if temoto.isAllowed(policy, urls.Text()) {
			fmt.Fprintln(out, urls.Text())
		}
	}
	must(errors.Join(urls.Err(), out.Flush()))
}

// heed filter does more work than copying the lines that have a host, so it cannot be faster.
func copyLinesWithHost(name string, to io.Writer) {
	in := lines.New(get(os.Open(name)), name, 1<<20)
	in.Recycles = true
	worker := func() func(lines.Block) []byte {
		return func(block lines.Block) []byte {
			out := lines.NewBuffer()
			for line := range strings.Lines(block.Text) {
				if hostOf(line) != "" {
					out = append(out, line...)
				}
			}
			block.Recycle()
			return out
		}
	}
	ordered.Map(runtime.NumCPU(), in.Next, worker, func(out []byte) {
		get(to.Write(out))
		lines.Recycle(out)
	})
	must(in.Err())
}

func hostOf(line string) string {
	_, rest, _ := strings.Cut(line, "://")
	if end := strings.IndexAny(rest, "/?#\"\n"); end >= 0 {
		return rest[:end]
	}
	return rest
}

var stageNames = []string{"opened", "first answer", "find the capture", "read and decompress the text", "parse it", "compile the rules of " + checked}

// No two URLs may have the same origin.
func stageTimes(name string, urls iter.Seq2[string, string]) (cells []string) {
	opened, answered, took, count, first := time.Hour, time.Hour, [4]time.Duration{}, 0, ""
	for first = range urls {
		break
	}
	for range 50 {
		start := time.Now()
		a := get(archive.Open(name))
		opened = min(opened, time.Since(start))
		start = time.Now()
		firstAnswer(a, first)
		answered = min(answered, time.Since(start))
		must(a.Close())
	}
	a := get(archive.Open(name))
	defer a.Close()
	for url := range urls {
		for stage, d := range firstAnswer(a, url) {
			took[stage] += d
		}
		count++
	}
	cells = []string{duration(opened), duration(answered)}
	for _, d := range took {
		cells = append(cells, duration(float64(d)/float64(count)))
	}
	return cells
}

func firstAnswer(a *archive.Reader, url string) (took [4]time.Duration) {
	o := get(origin.Parse(url))
	start := time.Now()
	next := func(stage int) {
		took[stage] = time.Since(start)
		start = time.Now()
	}
	found := get(capture.Archives{a}.Find(o, time.Time{}, fetch.StatusesOf(robotstxt.RFC9309)))
	next(0)
	body := get(a.Body(found.Body))
	next(1)
	file := robotstxt.ParseString(body, robotstxt.RFC9309)
	next(2)
	policy := file.Agent(checked)
	next(3)
	policy.Check(url)
	return took
}
