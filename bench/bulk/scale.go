package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
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

// measureScale measures how time and memory grow with the URLs and the origins of a list, and prints
// what each of them costs.
func (s *settings) measureScale() error {
	var counts []int
	for text := range strings.SplitSeq(s.origins, ",") {
		n, err := strconv.Atoi(text)
		if err != nil {
			return fmt.Errorf("-origins: %w", err)
		}
		counts = append(counts, n)
	}
	if len(counts) < 3 || !slices.IsSorted(counts) {
		return errors.New("-origins: expected at least three numbers, the smallest first")
	}
	return s.measureParts(part{"compile", func() error { return s.compileScale(counts) }},
		part{"judge", func() error { return s.judgeScale(counts) }}, part{"tools", func() error { return s.measureTools(counts) }})
}

// scaleData makes the robots.txt files of some origins, or, if there are more arguments, a list of URLs:
// its order, and how many URLs each origin has. It prints how many origins that has.
func (s *settings) scaleData(args []string) error {
	count, err := strconv.Atoi(args[0])
	if err != nil {
		return err
	}
	w, err := newWorld(count, bothSchemes[:1])
	if err != nil {
		return err
	}
	if len(args) == 1 {
		fmt.Println(count)
		return w.writeJSON(s.path(scaleJSON))
	}
	each, err := strconv.Atoi(args[2])
	if err != nil {
		return err
	}
	list, origins := w.list(args[1], count*each)
	fmt.Println(origins)
	return w.writeList(s.path(scaleList), list)
}

// makeList makes a list, and returns how many different origins it has.
func (s *settings) makeList(origins int, order string, each int) (int, error) {
	text, err := s.output("scale-data", strconv.Itoa(origins), order, strconv.Itoa(each))
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(text)
}

// compileScale compiles an archive of each number of origins, opens it, and asks about each origin.
func (s *settings) compileScale(counts []int) error {
	t := append(table{"`heed compile` of origins", "octets of JSON for an origin", "of the archive", "processor time for an origin", "took", "memory"}, stageNames...)
	t.head()
	for _, n := range counts {
		if _, err := s.output("scale-data", strconv.Itoa(n)); err != nil {
			return err
		}
		in, to := s.path(scaleJSON), s.path(scaleArchive(n))
		u, err := s.compile(in, scaleArchive(n)).run()
		if err != nil {
			return err
		}
		each := func(name string) string { return fmt.Sprintf("%.0f", float64(sizeOf(name))/float64(n)) }
		cells := []string{number(float64(n)), each(in), each(to), microseconds(u.cpu.Seconds() / float64(n)), seconds(u.took), mib(u.peak)}
		if err := os.Remove(in); err != nil {
			return err
		}
		if _, err := s.makeList(n, shuffled, 1); err != nil {
			return err
		}
		stages, err := s.output("stages", to, s.path(scaleList))
		if err != nil {
			return err
		}
		t.row(append(cells, strings.Split(stages, "\t")...)...)
	}
	return nil
}

// A scaleRun is a list that is judged with an archive of some origins.
type scaleRun struct {
	origins int // of the archive
	order   string
	each    int // URLs for each origin
	args    []string

	variable string // of the environment
	isCold   bool   // the archive is not in the page cache
	fit      string // the fit that uses it; "": none does

	point // what the list has, and the least processor time
	least usage
}

const enoughMemory = "--max-memory=14336" // nothing is forgotten

// scaleRuns returns what is measured. The archive with the most origins is for predictions only.
func (s *settings) scaleRuns(counts []int) (runs []*scaleRun) {
	fitted, most := counts[:len(counts)-1], counts[len(counts)-1]
	for _, n := range fitted {
		for _, each := range []int{1, 10, 58} { // 58: 3,500 million URLs of 60 million hosts
			runs = append(runs, &scaleRun{origins: n, order: inOrder, each: each, fit: inOrder})
		}
		for _, each := range []int{1, 10} {
			runs = append(runs, &scaleRun{origins: n, order: shuffled, each: each, args: []string{enoughMemory}, fit: shuffled})
		}
		runs = append(runs, &scaleRun{origins: n, order: skewed, each: 10},
			&scaleRun{origins: n, order: shuffled, each: 2}, &scaleRun{origins: n, order: shuffled, each: 2, args: []string{"--max-memory=256"}})
	}
	runs = append(runs, &scaleRun{origins: most, order: inOrder, each: 1}, &scaleRun{origins: most, order: inOrder, each: 10})
	large, middle := fitted[len(fitted)-1], fitted[len(fitted)/2]
	return append(runs,
		&scaleRun{origins: large, order: inOrder, each: 1, args: []string{"--max-memory=64"}},
		&scaleRun{origins: large, order: inOrder, each: 1, isCold: true},
		&scaleRun{origins: large, order: shuffled, each: 1, isCold: true},
		&scaleRun{origins: middle, order: inOrder, each: 58, variable: "GOMAXPROCS=1"},
		&scaleRun{origins: middle, order: inOrder, each: 58, args: []string{"--allowed=false"}},
		&scaleRun{origins: middle, order: inOrder, each: 58, args: []string{"--allowed=false", "--output=" + s.path("verdicts.tsv.zst")}})
}

// judgeScale judges lists with the archives.
func (s *settings) judgeScale(counts []int) error {
	if err := os.WriteFile(s.path(noURL), nil, 0o644); err != nil {
		return err
	}
	start := &row{what: "start of a process", process: s.filter("--robots", s.path(scaleArchive(counts[0])), s.path(noURL))}
	if err := measure(10, start); err != nil {
		return err
	}
	runs := s.scaleRuns(counts)
	points := map[string][]point{}
	for _, r := range runs {
		if err := s.judgeList(r); err != nil {
			return err
		}
		r.took -= start.least().cpu
		points[r.fit] = append(points[r.fit], r.point)
	}
	fmt.Printf("\nThe start of a process, %s of the processor, is subtracted from each processor time.\n", milliseconds(start.least().cpu))
	costs := map[string]cost{}
	t := table{"cost", "of 1,000,000 URLs", "of an origin"}
	t.head()
	for _, order := range []string{inOrder, shuffled} {
		costs[order] = fit(points[order])
		t.row(order, fmt.Sprintf("%.3f s", costs[order].perURL*1e6), microseconds(costs[order].perOrigin))
	}
	costs[skewed] = costs[inOrder]
	t = table{"list", "URLs", "origins", "of the archive", "URLs a second", "processor time", "predicted", "memory"}
	t.head()
	for _, r := range runs {
		t.row(r.String(), number(float64(r.urls)), number(float64(r.point.origins)), number(float64(r.origins)),
			number(float64(r.urls)/r.least.took.Seconds()), seconds(r.took), fmt.Sprintf("%+.0f %%", 100*costs[r.order].wrong(r.point)), mib(r.least.peak))
	}
	return nil
}

func (r *scaleRun) String() string {
	what := append([]string{r.order, r.variable}, r.args...)
	if r.isCold {
		what = append(what, "archive not in memory")
	}
	if r.fit == "" {
		what = append(what, "(not in the fit)")
	}
	return strings.Join(slices.DeleteFunc(what, func(w string) bool { return w == "" }), " ")
}

// judgeList makes the list of a run, and judges it.
func (s *settings) judgeList(r *scaleRun) (err error) {
	r.urls = r.origins * r.each
	if r.point.origins, err = s.makeList(r.origins, r.order, r.each); err != nil {
		return err
	}
	archive := s.path(scaleArchive(r.origins))
	judging := &row{what: r.String(), process: s.filter(append([]string{"--robots", archive, "--allowed", s.path(scaleList)}, r.args...)...)}
	judging.process.variable = r.variable
	for range s.rounds {
		if r.isCold {
			if _, err := (process{args: []string{"dd", "if=" + archive, "iflag=nocache", "count=0"}}).run(); err != nil {
				return err
			}
		}
		if err := measure(1, judging); err != nil {
			return err
		}
	}
	r.least = judging.least()
	r.took = r.least.cpu
	fmt.Fprintf(os.Stderr, "%s, %d origins, %d URLs each: %s of the processor\n", r, r.origins, r.each, seconds(r.took))
	return nil
}

// partition writes the lines of a list into 64 files, by a hash of the host.
const partition = `BEGIN { for (i = 0; i < 256; i++) code[sprintf("%c", i)] = i }
{ h = 0; for (i = length($3); i > 0; i--) h = (h * 31 + code[substr($3, i, 1)]) % 64; print > (folder "/" h ".part") }`

// measureTools measures what a list costs before heed judges it: reading it, also compressed, and bringing
// the URLs of a host together.
func (s *settings) measureTools(counts []int) error {
	middle, large := counts[len(counts)/2-1], counts[len(counts)-2]
	if err := writeOneRobots(s.path(oneRobots)); err != nil {
		return err
	}
	list := s.path(scaleList)
	tool := func(to string, args ...string) process { return process{args: args, to: to} }
	judge := func(list string) process {
		return s.filter("--robots", s.path(oneRobots), "--allowed", "--missing=allowed", list)
	}
	ceiling := s.self("ceiling", list)
	ceiling.to = os.DevNull
	readers := []*row{
		{what: "a program that reads lines, finds the host and writes", process: ceiling},
		{what: "`gzip`", process: tool(list+".gz", "gzip", "-c", list)},
		{what: "`gzip -d`", process: tool(os.DevNull, "gzip", "-dc", list+".gz")},
		{what: "`zstd`", process: tool(list+".zst", "zstd", "-qc", list)},
		{what: "`zstd -d`", process: tool(os.DevNull, "zstd", "-qdc", list+".zst")},
		{what: "`heed filter` without robots.txt files, plain", process: judge(list)},
		{what: "the same, gzip", process: judge(list + ".gz")},
		{what: "the same, zstd", process: judge(list + ".zst")},
	}
	sorting := tool("", "sort", fmt.Sprint("--parallel=", runtime.NumCPU()), "-S", "2G", "-T", s.folder, "-o", list+".sorted", list)
	sorting.variable = "LC_ALL=C"
	sorters := []*row{
		{what: "`sort -S 2G`", process: sorting},
		{what: "`awk`, 64 parts by a hash of the host", process: tool("", "awk", "-F/", "-v", "folder="+s.folder, partition, list)},
	}
	for _, group := range []struct {
		origins int
		order   string
		tools   []*row
	}{{middle, inOrder, readers}, {middle, shuffled, sorters}, {large, shuffled, sorters}} {
		const each = 58
		if _, err := s.makeList(group.origins, group.order, each); err != nil {
			return err
		}
		for _, r := range group.tools {
			r.count, r.runs = group.origins*each, nil
		}
		if err := measure(1, group.tools...); err != nil {
			return err
		}
		printRows(group.order, group.tools...)
		if err := errors.Join(s.removeAll(scaleList+"*"), s.removeAll("*.part")); err != nil {
			return err
		}
	}
	return nil
}

// removeAll deletes the files of the data whose names match a pattern.
func (s *settings) removeAll(pattern string) error {
	names, err := filepath.Glob(s.path(pattern))
	for _, name := range names {
		err = errors.Join(err, os.Remove(name))
	}
	return err
}
