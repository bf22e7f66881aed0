package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

func (b *bench) scale() {
	var counts []int
	for text := range strings.SplitSeq(b.origins, ",") {
		counts = append(counts, get(strconv.Atoi(text)))
	}
	if len(counts) < 3 || !slices.IsSorted(counts) {
		must(errors.New("-origins: expected at least three numbers, the smallest first"))
	}
	w := readWorld("https://")
	b.writeEmpty()
	b.compileScale(w, counts)
	b.checkScale(w, counts)
	b.measureTools(w, counts[len(counts)/2-1], counts[len(counts)-2])
}

func scaleArchive(origins int) string { return fmt.Sprintf("scale-%d.heed", origins) }

func (b *bench) compileScale(w *world, counts []int) {
	t := newTable(append([]string{"`heed compile` of origins", "bytes of JSON for an origin", "of the archive", "processor time for an origin", "took", "memory"}, stageNames...)...)
	for _, n := range counts {
		w, source, to := w.with(n), "scale.jsonl", scaleArchive(n)
		w.writeJSON(b.path(source))
		r := b.compiled("compile", n, source, to)
		r.run()
		list, _ := w.hostList(shuffled, n)
		each := func(name string) string { return fmt.Sprintf("%.0f", float64(sizeOf(b.path(name)))/float64(n)) }
		cells := []string{number(n), each(source), each(to), duration(float64(r.best.CPU) / float64(n)), duration(r.best.Took), mib(r.best.Peak)}
		t.row(append(cells, stageTimes(b.path(to), w.urls(list))...)...)
	}
	must(os.Remove(b.path("scale.jsonl")))
}

type scaleRun struct {
	archive int      // how many origins the archive has
	order   string   // the order of the URLs in the list
	each    int      // how many URLs the list has for each origin, on average
	args    []string // additional arguments for heed filter
	isFit   bool     // fit computes the cost from this run (and from others)
	isCold  bool     // the archive is removed from the page cache of the system before the run

	*row
	origins int // how many origins the list has
}

// The runs with the smaller archives give a cost. This cost predicts the times of the runs with the largest archive.
func (b *bench) scaleRuns(counts []int) (runs []*scaleRun) {
	fitted, most := counts[:len(counts)-1], counts[len(counts)-1]
	for _, n := range fitted {
		for _, each := range []int{1, 10, 58} { // 58 is the value for 3,500 million URLs of 60 million hosts
			runs = append(runs, &scaleRun{archive: n, order: inOrder, each: each, isFit: true})
		}
		for _, each := range []int{1, 10} { // with enough memory for all origins, so that heed forgets none
			runs = append(runs, &scaleRun{archive: n, order: shuffled, each: each, args: []string{"--max-memory=14336"}, isFit: true})
		}
	}
	large, middle := fitted[len(fitted)-1], fitted[len(fitted)/2]
	return append(runs,
		&scaleRun{archive: most, order: inOrder, each: 1},
		&scaleRun{archive: most, order: inOrder, each: 10},
		&scaleRun{archive: large, order: skewed, each: 10},
		&scaleRun{archive: large, order: shuffled, each: 2},
		&scaleRun{archive: large, order: shuffled, each: 2, args: []string{"--max-memory=256"}},
		&scaleRun{archive: large, order: inOrder, each: 1, args: []string{"--max-memory=64"}},
		&scaleRun{archive: large, order: inOrder, each: 1, isCold: true},
		&scaleRun{archive: middle, order: inOrder, each: 58, args: []string{"--allowed=false"}},
		&scaleRun{archive: middle, order: inOrder, each: 58, args: []string{"--allowed=false", "--output=" + b.path("verdicts.tsv.zst")}})
}

func (b *bench) checkScale(w *world, counts []int) {
	start := b.filter("start of a process", 0, "none.txt", scaleArchive(counts[0]))
	runRows(10, start)
	runs, fitted := b.scaleRuns(counts), map[string][]*scaleRun{}
	for _, r := range runs {
		b.checkList(w, r)
		r.base = start
		if r.isFit {
			fitted[r.order] = append(fitted[r.order], r)
		}
	}
	verdicts := runs[len(runs)-1]
	fmt.Printf("\nThe start of a process, %s of the processor, is subtracted. A URL with its verdict has %.0f bytes with Zstandard.\n",
		duration(start.best.CPU), float64(sizeOf(b.path("verdicts.tsv.zst")))/float64(verdicts.count))
	costs := map[string]cost{inOrder: fitCost(fitted[inOrder]), shuffled: fitCost(fitted[shuffled])}
	costs[skewed] = costs[inOrder]
	t := newTable("cost", "of 1,000,000 URLs", "of an origin")
	for _, order := range []string{inOrder, shuffled} {
		t.row(order, fmt.Sprintf("%.3f s", costs[order].perURL*1e6), duration(costs[order].perOrigin*1e9))
	}
	t = newTable("list", "URLs", "origins", "of the archive", "URLs a second", "processor time", "predicted", "memory")
	for _, r := range runs {
		urls, origins, took := r.needed()
		predicted := costs[r.order].perURL*urls + costs[r.order].perOrigin*origins
		t.row(r.what, number(urls), number(origins), number(r.archive), r.perSecond(), fmt.Sprintf("%.2f s", took),
			fmt.Sprintf("%+.0f %%", 100*(predicted/took-1)), mib(r.leastUsage().Peak))
	}
}

func (b *bench) checkList(w *world, r *scaleRun) {
	w, archive, name := w.with(r.archive), scaleArchive(r.archive), "scale.txt"
	list, origins := w.hostList(r.order, r.archive*r.each)
	w.writeList(b.path(name), "%s\n", list)
	what := strings.Join(append([]string{r.order}, r.args...), " ")
	if r.isCold {
		what += ", archive not in memory"
	}
	if !r.isFit {
		what += " (not in the fit)"
	}
	r.origins, r.row = origins, b.filter(what, len(list), name, archive, append([]string{"--allowed"}, r.args...)...)
	for range b.rounds {
		if r.isCold {
			(&row{what: "dd", args: []string{"dd", "if=" + b.path(archive), "iflag=nocache", "count=0"}}).run()
		}
		r.run()
	}
}

func (r *scaleRun) needed() (urls, origins, took float64) {
	return float64(r.count), float64(r.origins), r.leastUsage().CPU.Seconds()
}

type cost struct{ perURL, perOrigin float64 }

func fitCost(runs []*scaleRun) cost {
	var uu, uo, oo, u, o float64 // sums of products of x and y, for the equations of the least squares
	for _, r := range runs {
		urls, origins, took := r.needed()
		x, y := urls/took, origins/took
		uu, uo, oo, u, o = uu+x*x, uo+x*y, oo+y*y, u+x, o+y
	}
	d := uu*oo - uo*uo
	return cost{(u*oo - o*uo) / d, (o*uu - u*uo) / d}
}

// Users compress, decompress or sort a list before heed reads it.
func (b *bench) measureTools(w *world, middle, large int) {
	const name, each = "scale.txt", 58
	list := b.path(name)
	read := func(what, suffix string) *row {
		return b.filter(what, 0, name+suffix, "one", "--allowed", "--missing=allowed")
	}
	tool := func(what string, args ...string) *row { return &row{what: what, args: args} }
	readers := []*row{
		b.ceiling(0, name), tool("`gzip`", "gzip", "-kf", list), tool("`zstd`", "zstd", "-qkf", list),
		read("`heed filter` without robots.txt files, plain", ""), read("the same, gzip", ".gz"), read("the same, zstd", ".zst"),
	}
	sorters := []*row{tool("`sort -S 2G`", "env", "LC_ALL=C", "sort", fmt.Sprint("--parallel=", runtime.NumCPU()), "-S2G", "-T", b.folder, "-o", list+".sorted", list)}
	for _, group := range []struct {
		origins int
		order   string
		tools   []*row
	}{{middle, inOrder, readers}, {middle, shuffled, sorters}, {large, shuffled, sorters}} {
		w := w.with(group.origins)
		urls, _ := w.hostList(group.order, group.origins*each)
		w.writeList(list, "%s\n", urls)
		for _, r := range group.tools {
			r.count, r.best = len(urls), nil
		}
		runRows(1, group.tools...)
		printRows(group.order, group.tools...)
	}
	fmt.Printf("\nA line of the last list has %.0f bytes.\n", float64(sizeOf(list))/float64(sorters[0].count))
}
