package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
)

// A world is a number of hosts with the robots.txt files of the corpus: all of them in turn, and then again
// under other names of hosts. Of each turn the files have a comment of their own, so hosts share files as
// often as in the corpus.
type world struct {
	hosts   []*host
	paths   []string // of all hosts of the corpus
	turn    []int    // the order of the hosts of the corpus
	count   int
	schemes []string // of which each host has an origin; URLs with the second are a tenth
}

var bothSchemes = []string{"https://", "http://"}

// newWorld returns a world with a number of hosts, or with those of the corpus if that is 0.
func newWorld(count int, schemes []string) (*world, error) {
	hosts, paths, err := readHosts()
	if count == 0 {
		count = len(hosts)
	}
	return &world{hosts, paths, rand.New(rand.NewPCG(9309, 20)).Perm(len(hosts)), count, schemes}, err
}

// at returns a host, with its name in the world.
func (w *world) at(i int) (h *host, name string) {
	h = w.hosts[w.turn[i%len(w.turn)]]
	if turn := i / len(w.turn); turn > 0 {
		return h, fmt.Sprintf("n%d.%s", turn, h.name)
	}
	return h, h.name
}

// sites yields the origins with their robots.txt files, in no order of their names.
func (w *world) sites(yield func(origin string, robots []byte) bool) {
	for i := range w.count {
		h, name := w.at(i)
		robots := h.robots
		if turn := i / len(w.turn); turn > 0 {
			robots = append(bytes.Clone(robots), fmt.Sprintf("\n# turn %d", turn)...)
		}
		for _, scheme := range w.schemes {
			if !yield(scheme+name, robots) {
				return
			}
		}
	}
}

// The orders of a list.
const (
	inOrder  = "in order of host"
	shuffled = "shuffled"
	skewed   = "skewed, in order of host" // few hosts have most of the URLs, as in a crawl
)

// list returns the host of each URL of a list, and how many different hosts it has.
func (w *world) list(order string, urls int) (list []int32, hosts int) {
	counts, names, byName := make([]int, w.count), make([]string, w.count), make([]int32, w.count)
	for i := range counts {
		_, names[i] = w.at(i)
		counts[i], byName[i] = urls/w.count, int32(i)
	}
	random := rand.New(rand.NewPCG(9309, 21))
	if order == skewed {
		clear(counts)
		drawn := rand.NewZipf(random, 1.05, 20, uint64(w.count-1))
		for range urls {
			counts[drawn.Uint64()]++
		}
	}
	slices.SortFunc(byName, func(a, b int32) int { return strings.Compare(names[a], names[b]) })
	list = make([]int32, 0, urls)
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

// shuffle shuffles a list, always in the same way.
func shuffle(list []int32) {
	rand.New(rand.NewPCG(9309, 18)).Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
}

// urls yields the URLs of a list, each with its host.
func (w *world) urls(list []int32) iter.Seq2[string, string] {
	return func(yield func(url, host string) bool) {
		random := rand.New(rand.NewPCG(9309, 22))
		for _, i := range list {
			h, name := w.at(int(i))
			paths := h.paths
			if len(paths) < 20 {
				paths = w.paths
			}
			scheme := w.schemes[0]
			if random.IntN(10) == 0 {
				scheme = w.schemes[len(w.schemes)-1]
			}
			if !yield(scheme+name+paths[random.IntN(len(paths))], name) {
				return
			}
		}
	}
}

// writeList writes a URL on each line.
func (w *world) writeList(to string, list []int32) error {
	return writeFile(to, func(out *bufio.Writer) {
		for url := range w.urls(list) {
			out.WriteString(url)
			out.WriteByte('\n')
		}
	})
}

// writeLog writes a list as the log of a crawl.
func (w *world) writeLog(to string, list []int32) error {
	random, i := rand.New(rand.NewPCG(9309, 19)), 0
	return writeFile(to, func(out *bufio.Writer) {
		for url := range w.urls(list) {
			fmt.Fprintf(out, `{"url":"%s","status":200,"mime":"text/html","digest":"sha1:%016X%016X","timestamp":"2026-05-%02dT%02d:%02d:%02dZ","length":%d,"languages":["eng"]}`+"\n",
				url, random.Uint64(), random.Uint64(), 1+i%28, i%24, i%60, i*7%60, 1000+random.IntN(100_000))
			i++
		}
	})
}

// An indexRow is a row of an index, with two columns of Common Crawl's.
type indexRow struct {
	URL  string `parquet:"url,plain"`
	Host string `parquet:"url_host_name,dict"`
}

// writeParquet writes a list as a part of an index.
func (w *world) writeParquet(to string, list []int32) error {
	f, err := os.Create(to)
	if err != nil {
		return err
	}
	out := parquet.NewGenericWriter[indexRow](f, parquet.Compression(&zstd.Codec{Level: zstd.SpeedDefault}), parquet.MaxRowsPerRowGroup(100_000))
	for url, host := range w.urls(list) {
		if _, err := out.Write([]indexRow{{url, host}}); err != nil {
			return errors.Join(err, f.Close())
		}
	}
	return errors.Join(out.Close(), f.Close())
}

// writeFile writes a file through a buffer, which keeps the first error.
func writeFile(name string, write func(out *bufio.Writer)) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(f, 1<<20)
	write(out)
	return errors.Join(out.Flush(), f.Close())
}
