package main

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"
)

// wholeRuns measures runs of the command, with its start, reading and writing.
func (s settings) wholeRuns() error {
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	command := filepath.Join(dir, "heed")
	build := exec.Command("go", "build", "-o", command, "github.com/heed-robots/heed/cmd/heed")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	robots, urls := filepath.Join(dir, "robots.txt"), filepath.Join(dir, "urls")
	if err := os.WriteFile(robots, typical.body, 0o600); err != nil {
		return err
	}
	const count = 1_000_000
	if err := writeURLs(urls, count); err != nil {
		return err
	}
	took, err := bestRun(s.rounds, urls, command, "check", "-a", agent, "--robots", robots, "-")
	if err != nil {
		return err
	}
	fmt.Fprintf(s.out, "\nheed check, 1,000,000 URLs from standard input, %d cores: %.2f s, %.1f million URLs/s\n",
		runtime.NumCPU(), took.Seconds(), count/took.Seconds()/1e6)
	files, cases, err := realFiles()
	if err != nil {
		fmt.Fprintln(s.out, "heed test, real questions: skipped:", err)
		return nil
	}
	for name, body := range files {
		if err := os.WriteFile(filepath.Join(dir, name), body, 0o600); err != nil {
			return err
		}
	}
	took, err = bestRun(s.rounds, os.DevNull, command, "test", "--root", dir, cases)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.out, "heed test, %d real files, reading included: %.2f s\n", len(files), took.Seconds())
	return nil
}

// bestRun returns the shortest time of some runs of a command. Its standard input is a file, and
// its output goes to a pipe.
func bestRun(rounds int, input string, command ...string) (best time.Duration, err error) {
	for range rounds {
		in, err := os.Open(input)
		if err != nil {
			return 0, err
		}
		c := exec.Command(command[0], command[1:]...)
		c.Stdin, c.Stdout = in, io.Discard
		start := time.Now()
		err = c.Run() // the exit status is not 0 if a URL is disallowed or a case failed
		took := time.Since(start)
		in.Close()
		if c.ProcessState == nil {
			return 0, err
		}
		if best == 0 || took < best {
			best = took
		}
	}
	return best, nil
}

func writeURLs(name string, count int) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer f.Close()
	out := bufio.NewWriter(f)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range count {
		fmt.Fprintf(out, "https://shop.example/%s/%s-%d.html?page=%d\n", words[r.IntN(len(words))], words[r.IntN(len(words))], i, r.IntN(9))
	}
	return out.Flush()
}
