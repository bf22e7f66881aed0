package main

import (
	"bufio"
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
)

// The names of the data of measureScale in its folder. There is one list at a time.
const (
	scaleList = "scale.txt"
	scaleJSON = "scale.jsonl"
)

func scaleArchive(origins int) string { return fmt.Sprintf("scale-%d.heed", origins) }

// A crowd is a number of origins with the robots.txt files of the corpus: all of them in turn, and then
// again under other names of hosts. Of each turn the files have a comment of their own, so hosts share
// files as often as in the corpus.
type crowd struct {
	*data
	turn  []int // the order of the hosts of the corpus
	count int
}

func (s *settings) newCrowd(origins int) (*crowd, error) {
	d := &data{settings: s}
	if err := d.readCorpus(); err != nil {
		return nil, err
	}
	return &crowd{d, rand.New(rand.NewPCG(9309, 20)).Perm(len(d.hosts)), origins}, nil
}

// host returns the index of a host of the corpus, and the number of the turn.
func (c *crowd) host(i int) (host, turn int) { return c.turn[i%len(c.turn)], i / len(c.turn) }

func (c *crowd) origin(i int) string {
	host, turn := c.host(i)
	if turn == 0 {
		return "https://" + c.hosts[host].name
	}
	return fmt.Sprintf("https://n%d.%s", turn, c.hosts[host].name)
}

// writeJSON writes JSON lines with the robots.txt of each origin, in no order of their names.
func (c *crowd) writeJSON(to string) error {
	return writeFile(to, func(w *bufio.Writer) error {
		for i := range c.count {
			host, turn := c.host(i)
			robots := c.hosts[host].robots
			if turn > 0 {
				robots = append(bytes.Clone(robots), fmt.Sprintf("\n# turn %d", turn)...)
			}
			if err := writeObject(w, c.origin(i), robots); err != nil {
				return err
			}
		}
		return nil
	})
}

// The orders of a list.
const (
	inOrder  = "in order of host"
	shuffled = "shuffled"
	skewed   = "skewed, in order of host" // few hosts have most of the URLs, as in a crawl
)

// list returns the origin of each URL of a list with some URLs for each origin, and how many different
// origins it has.
func (c *crowd) list(order string, each int) (list []int32, origins int) {
	counts := make([]int, c.count)
	random := rand.New(rand.NewPCG(9309, 21))
	if order == skewed {
		drawn := rand.NewZipf(random, 1.05, 20, uint64(c.count-1))
		for range c.count * each {
			counts[drawn.Uint64()]++
		}
	} else {
		for i := range counts {
			counts[i] = each
		}
	}
	names, byName := make([]string, c.count), make([]int32, c.count)
	for i := range names {
		names[i], byName[i] = c.origin(i), int32(i)
	}
	slices.SortFunc(byName, func(a, b int32) int { return strings.Compare(names[a], names[b]) })
	list = make([]int32, 0, c.count*each)
	for _, i := range byName {
		if counts[i] > 0 {
			origins++
		}
		list = append(list, slices.Repeat([]int32{i}, counts[i])...)
	}
	if order == shuffled {
		random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	}
	return list, origins
}

// writeList writes a list, and returns how many different origins it has.
func (c *crowd) writeList(to, order string, each int) (origins int, err error) {
	list, origins := c.list(order, each)
	random := rand.New(rand.NewPCG(9309, 22))
	return origins, writeFile(to, func(w *bufio.Writer) error {
		for _, i := range list {
			host, _ := c.host(int(i))
			paths := c.pathsOf(host)
			w.WriteString(c.origin(int(i))) // the last write returns the error
			w.WriteString(paths[random.IntN(len(paths))])
			if err := w.WriteByte('\n'); err != nil {
				return err
			}
		}
		return nil
	})
}

// scaleData makes the robots.txt files of some origins, or, if there are more arguments, a list of URLs:
// its order, and how many URLs each origin has. It prints how many origins that has.
func (s *settings) scaleData(args []string) error {
	count, err := strconv.Atoi(args[0])
	if err != nil {
		return err
	}
	c, err := s.newCrowd(count)
	if err != nil {
		return err
	}
	if len(args) == 1 {
		fmt.Println(count)
		return c.writeJSON(s.path(scaleJSON))
	}
	each, err := strconv.Atoi(args[2])
	if err != nil {
		return err
	}
	origins, err := c.writeList(s.path(scaleList), args[1], each)
	fmt.Println(origins)
	return err
}

func firstLine(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	line, err := bufio.NewReader(f).ReadString('\n')
	return strings.TrimSpace(line), err
}

func sizeOf(name string) int64 {
	info, err := os.Stat(name)
	if err != nil {
		return 0
	}
	return info.Size()
}
