package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/klauspost/compress/gzip"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"

	"github.com/heed-robots/heed/internal/testing/corpus"
	"github.com/heed-robots/heed/origin"
)

// A world is a made-up web. Its hosts have the robots.txt files of real sites. Several hosts have the same file.
type world struct {
	hosts   []site              // the hosts of the corpus in random order
	paths   map[string][]string // for each host of the corpus: paths with their queries; for "": those of all hosts
	count   int                 // how many hosts the world has
	schemes []string            // each host has one origin for each scheme; a tenth of the URLs have the last scheme
}

func readWorld(schemes ...string) *world {
	folder, w := os.Getenv(corpus.Variable), &world{paths: map[string][]string{}, schemes: schemes}
	must(corpus.Read(filepath.Join(folder, "robots-txt.tar.gz"), func(file string, data []byte) bool {
		name := strings.TrimSuffix(path.Base(file), ".txt") // only names that are a host are used, not "HOST@DATE" (an older file) or "test--NAME"
		if o, err := origin.Parse("https://" + name); err == nil && o.String() == "https://"+name && !strings.HasPrefix(name, "test--") {
			w.hosts = append(w.hosts, site{name: name, Robots: data})
		}
		return true
	}))
	must(corpus.Read(filepath.Join(folder, "urls.tar.gz"), func(file string, data []byte) bool {
		name := strings.TrimSuffix(path.Base(file), ".txt")
		for line := range strings.Lines(string(data)) {
			url := strings.TrimSpace(line)
			if !utf8.ValidString(url) || strings.ContainsAny(url, "\"\\\t ") { // such characters would need escapes in JSON
				url = "/"
			}
			w.paths[name] = append(w.paths[name], pathOf(url))
		}
		w.paths[""] = append(w.paths[""], w.paths[name]...)
		return true
	}))
	w.count = len(w.hosts)
	rand.New(rand.NewPCG(9309, 20)).Shuffle(w.count, func(i, j int) { w.hosts[i], w.hosts[j] = w.hosts[j], w.hosts[i] })
	return w
}

func (w world) with(count int) *world {
	w.count = count
	return &w
}

// turn is the number of hosts before host i that use the robots.txt of the site h too.
func (w *world) hostAt(i int) (h site, name string, turn int) {
	h, turn = w.hosts[i%len(w.hosts)], i/len(w.hosts)
	if turn > 0 {
		return h, fmt.Sprintf("n%d.%s", turn, h.name), turn
	}
	return h, h.name, 0
}

func (w *world) each(do func(origin string, robots []byte)) {
	for i := range w.count {
		h, name, turn := w.hostAt(i)
		robots := h.Robots
		if turn > 0 {
			robots = append(bytes.Clone(robots), fmt.Sprintf("\n# turn %d", turn)...)
		}
		for _, scheme := range w.schemes {
			do(scheme+name, robots)
		}
	}
}

const (
	inOrder  = "in order of host"
	shuffled = "shuffled"
	skewed   = "skewed, in order of host" // a few hosts have most of the URLs, as in a real crawl
)

// The result list has the index of the host for each URL. The result hosts is the number of different hosts.
func (w *world) hostList(order string, urls int) (list []int32, hosts int) {
	counts, names, byName := make([]int, w.count), make([]string, w.count), make([]int32, w.count)
	for i := range counts {
		_, names[i], _ = w.hostAt(i)
		counts[i], byName[i] = urls/w.count, int32(i)
	}
	if order == skewed {
		clear(counts)
		drawn := rand.NewZipf(rand.New(rand.NewPCG(9309, 21)), 1.05, 20, uint64(w.count-1))
		for range urls {
			counts[drawn.Uint64()]++
		}
	}
	slices.SortFunc(byName, func(a, b int32) int { return strings.Compare(names[a], names[b]) })
	for _, i := range byName {
		if counts[i] > 0 {
			hosts++
		}
		list = append(list, slices.Repeat([]int32{i}, counts[i])...)
	}
	if order == shuffled {
		shuffle(list)
	}
	return list, hosts
}

func shuffle(list []int32) {
	rand.New(rand.NewPCG(9309, 18)).Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
}

func (w *world) urls(list []int32) iter.Seq2[string, string] {
	return func(yield func(url, host string) bool) {
		random := rand.New(rand.NewPCG(9309, 22))
		for _, i := range list {
			h, name, _ := w.hostAt(int(i))
			paths, scheme := w.paths[h.name], w.schemes[0]
			if len(paths) < 20 {
				paths = w.paths[""]
			}
			if random.IntN(10) == 0 {
				scheme = w.schemes[len(w.schemes)-1]
			}
			if !yield(scheme+name+paths[random.IntN(len(paths))], name) {
				return
			}
		}
	}
}

func writeFile(name string, write func(out io.Writer)) {
	must(os.MkdirAll(filepath.Dir(name), 0o755))
	f := get(os.Create(name))
	out := bufio.NewWriterSize(f, 1<<20)
	write(out)
	must(errors.Join(out.Flush(), f.Close()))
}

func (w *world) writeList(to, format string, list []int32) {
	writeFile(to, func(out io.Writer) {
		for url := range w.urls(list) {
			fmt.Fprintf(out, format, url)
		}
	})
}

const logLine = `{"url":"%s","status":200,"mime":"text/html","digest":"sha1:3BEDA2B32E0C5B7BB1D8E6C9BBA7FF2B","timestamp":"2026-05-01T00:00:00Z","length":51234,"languages":["eng"]}` + "\n"

// The names of the columns are those of Common Crawl.
type indexRow struct {
	URL  string `parquet:"url,plain"`
	Host string `parquet:"url_host_name,dict"`
}

func (w *world) writeParquet(to string, list []int32) {
	writeFile(to, func(f io.Writer) {
		out := parquet.NewGenericWriter[indexRow](f, parquet.Compression(&zstd.Codec{Level: zstd.SpeedDefault}), parquet.MaxRowsPerRowGroup(100_000))
		for url, host := range w.urls(list) {
			get(out.Write([]indexRow{{url, host}}))
		}
		must(out.Close())
	})
}

func (w *world) writeFolder(to string) {
	must(os.MkdirAll(to, 0o755))
	for _, h := range w.hosts {
		must(os.WriteFile(filepath.Join(to, h.name+".txt"), h.Robots, 0o644))
	}
}

func (w *world) writeJSON(to string) {
	writeFile(to, func(out io.Writer) {
		lines := json.NewEncoder(out)
		lines.SetEscapeHTML(false)
		w.each(func(origin string, robots []byte) {
			object := map[string]any{"origin": origin, "status": 200, "fetched": "2026-05-01T00:00:00Z"}
			if utf8.Valid(robots) {
				object["body"] = string(robots)
			} else {
				object["robots_b64"] = robots
			}
			must(lines.Encode(object))
		})
	})
}

const (
	crawlRequest = "GET /robots.txt HTTP/1.1\r\nUser-Agent: CCBot/2.0 (https://commoncrawl.org/faq/)\r\n" +
		"Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8\r\nAccept-Language: en-US,en;q=0.5\r\n" +
		"Accept-Encoding: br,gzip\r\nHost: www.example.com\r\nConnection: Keep-Alive\r\n\r\n"
	response = "HTTP/1.1 200 OK\r\nDate: Fri, 01 May 2026 00:00:00 GMT\r\nServer: nginx\r\nContent-Type: text/plain\r\n" +
		"Connection: keep-alive\r\nVary: Accept-Encoding\r\n\r\n"
	metadata = "fetchTimeMs: 210\r\ncharset-detected: UTF-8\r\n"
)

// isCrawl adds records of requests and metadata, as real crawls have.
func (w *world) writeWARC(folder string, isCrawl bool) {
	const files = 8
	for n := range files {
		writeFile(filepath.Join(folder, fmt.Sprintf("%05d.warc.gz", n)), func(out io.Writer) {
			members, at, records := gzip.NewWriter(out), 0, 0
			record := func(kind, origin, contentType, block string) {
				records++
				members.Reset(out)
				fmt.Fprintf(members, "WARC/1.0\r\nWARC-Type: %s\r\nWARC-Date: 2026-05-01T00:00:00Z\r\nWARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-%012x>\r\n"+
					"WARC-IP-Address: 192.0.2.1\r\nWARC-Target-URI: %s/robots.txt\r\nWARC-Protocol: h2\r\nContent-Length: %d\r\nContent-Type: %s\r\n\r\n%s\r\n\r\n",
					kind, records, origin, len(block), contentType, block)
				members.Close()
			}
			w.each(func(origin string, robots []byte) {
				if at++; at%files != n {
					return
				}
				if isCrawl {
					record("request", origin, "application/http; msgtype=request", crawlRequest)
				}
				record("response", origin, "application/http; msgtype=response", response+string(robots))
				if isCrawl {
					record("metadata", origin, "application/warc-fields", metadata)
				}
			})
		})
	}
}
