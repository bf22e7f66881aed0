package main

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

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
	fmt.Printf("%s, best of %d.\n", machine(), s.rounds)
	only, err := regexp.Compile(s.only)
	if err != nil {
		return err
	}
	for _, part := range []struct {
		name    string
		measure func([]int) error
	}{{"compile", s.compileScale}, {"judge", s.judgeScale}, {"tools", s.measureTools}} {
		if only.MatchString(part.name) {
			err = errors.Join(err, part.measure(counts))
		}
	}
	return err
}

// makeScale starts a process that makes a part of the data, and returns how many origins it has.
func (s *settings) makeScale(origins int, list ...string) (int, error) {
	out, err := s.self("scale-data", append([]string{strconv.Itoa(origins)}, list...)...).Output()
	if err != nil {
		return 0, fmt.Errorf("making data of %d origins: %w", origins, err)
	}
	return strconv.Atoi(strings.TrimSpace(string(out)))
}

func (s *settings) makeList(origins int, order string, each int) (int, error) {
	return s.makeScale(origins, order, strconv.Itoa(each))
}

// compileScale compiles an archive of each number of origins, and opens it.
func (s *settings) compileScale(counts []int) error {
	t := table{"`heed compile` of origins", "octets of JSON for an origin", "of the archive", "processor time for an origin", "took", "memory", "opened", "first answer"}
	var stages []string
	t.head()
	for _, n := range counts {
		if _, err := s.makeScale(n); err != nil {
			return err
		}
		in, to := s.path(scaleJSON), s.path(scaleArchive(n))
		os.Remove(to)
		u, err := process{Cmd: command(s.heed, "compile", in, "-o", to)}.run()
		if err != nil {
			return err
		}
		each := func(name string) string { return fmt.Sprintf("%.0f", float64(sizeOf(name))/float64(n)) }
		octets := each(in)
		if err := os.Remove(in); err != nil {
			return err
		}
		if _, err := s.makeList(n, shuffled, 1); err != nil {
			return err
		}
		url, err := firstLine(s.path(scaleList))
		if err != nil {
			return err
		}
		opened, answered, err := s.open(to, url)
		if err != nil {
			return err
		}
		t.row(number(float64(n)), octets, each(to), microseconds(u.cpu.Seconds()/float64(n)), seconds(u.took),
			mib(u.peak), milliseconds(opened), milliseconds(answered))
		out, err := s.self("stages", to, s.path(scaleList)).Output()
		if err != nil {
			return fmt.Errorf("stages: %w", err)
		}
		stages = append(stages, strings.TrimSpace(string(out)))
	}
	stageTable.head()
	for i, n := range counts {
		stageTable.row(append([]string{number(float64(n))}, strings.Split(stages[i], "\t")...)...)
	}
	return nil
}

// A scaleRun is a list that is judged with an archive of some origins.
type scaleRun struct {
	origins  int // of the archive
	order    string
	each     int // URLs for each origin
	args     []string
	variable string // of the environment
	isCold   bool   // the archive is not in the page cache
	fit      string // the fit that uses it; "": none does

	point // what the list has, and the least processor time
	best  usage
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
	runs := s.scaleRuns(counts)
	start, err := s.startOf(s.path(scaleArchive(counts[0])))
	if err != nil {
		return err
	}
	for _, r := range runs {
		if err := s.judgeList(r); err != nil {
			return err
		}
		r.took -= start
	}
	fmt.Printf("\nThe start of a process, %.0f ms of the processor, is subtracted from each processor time.\n", 1000*start.Seconds())
	costs := map[string]cost{}
	t := table{"cost", "of 1,000,000 URLs", "of an origin"}
	t.head()
	for _, order := range []string{inOrder, shuffled} {
		var points []point
		for _, r := range runs {
			if r.fit == order {
				points = append(points, r.point)
			}
		}
		c := fit(points)
		costs[order] = c
		t.row(order, fmt.Sprintf("%.3f s", c.perURL*1e6), microseconds(c.perOrigin))
	}
	t = table{"list", "URLs", "origins", "of the archive", "URLs a second", "processor time", "predicted", "memory"}
	t.head()
	for _, r := range runs {
		what := append([]string{r.order, r.variable}, r.args...)
		if r.isCold {
			what = append(what, "archive not in memory")
		}
		if r.fit == "" {
			what = append(what, "(not in the fit)")
		}
		c := costs[inOrder]
		if r.order == shuffled {
			c = costs[shuffled]
		}
		t.row(strings.Join(slices.DeleteFunc(what, func(w string) bool { return w == "" }), " "), number(float64(r.urls)), number(float64(r.point.origins)),
			number(float64(r.origins)), number(perSecond(r.urls, r.best.took)), seconds(r.took), fmt.Sprintf("%+.0f %%", 100*c.wrong(r.point)), mib(r.best.peak))
	}
	return nil
}

// startOf returns the processor time of a run without URLs.
func (s *settings) startOf(archive string) (time.Duration, error) {
	if err := os.WriteFile(s.path(noURL), nil, 0o644); err != nil {
		return 0, err
	}
	var usages []usage
	for range 10 {
		u, err := s.heedFilter("--robots", archive, s.path(noURL)).run()
		if err != nil {
			return 0, err
		}
		usages = append(usages, u)
	}
	return least(usages), nil
}

// judgeList makes the list of a run, and judges it.
func (s *settings) judgeList(r *scaleRun) (err error) {
	r.urls = r.origins * r.each
	if r.point.origins, err = s.makeList(r.origins, r.order, r.each); err != nil {
		return err
	}
	archive := s.path(scaleArchive(r.origins))
	var usages []usage
	for range s.rounds {
		if r.isCold {
			if out, err := command("dd", "if="+archive, "iflag=nocache", "count=0").CombinedOutput(); err != nil {
				return fmt.Errorf("dd: %w: %s", err, out)
			}
		}
		p := s.heedFilter(append([]string{"--robots", archive, "--allowed", s.path(scaleList)}, r.args...)...)
		p.to = os.DevNull
		if r.variable != "" {
			p.Env = append(os.Environ(), r.variable)
		}
		u, err := p.run()
		if err != nil {
			return err
		}
		usages = append(usages, u)
	}
	r.best, r.took = best(usages), least(usages)
	fmt.Fprintf(os.Stderr, "%s, %d origins, %d URLs each, %q: %.2f s of the processor\n", r.order, r.origins, r.each, r.args, r.took.Seconds())
	return nil
}
