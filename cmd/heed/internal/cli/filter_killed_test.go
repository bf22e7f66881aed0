package cli

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/heed-robots/heed/internal/testing/portion"
	"github.com/parquet-go/parquet-go"
)

// A run over lists in Parquet that is killed or interrupted again and again, at any time, and goes on each time, has the
// outputs and the rejects of one that is not. So has one with a single list, which begins again.
func TestFilterParquetKilled(t *testing.T) {
	t.Parallel()
	portion.Skip(t, 3)
	heed, dir := buildHeed(t), t.TempDir()
	sites := filepath.Join(dir, "sites")
	os.Mkdir(sites, 0o700)
	os.WriteFile(filepath.Join(sites, "a.example"), []byte("User-agent: *\nDisallow: /cart\n"), 0o600)
	inputs := killLists(t, dir)
	rounds, least := 2, 1 // kills and interrupts
	if portion.Whole() {
		least = 500
	}
	kills := 0
	for round := 0; round < rounds || kills < least; round++ {
		if round > 20*least {
			t.Fatalf("killed %d times in %d rounds: the inputs are too short for this machine", kills, round)
		}
		lists := inputs
		if round%2 == 1 {
			lists = inputs[:1]
		}
		keep := [][]string{nil, {"--allowed"}}[round/2%2]
		run := func(name string, after time.Duration) (ended bool) {
			args := append([]string{"filter", "-a", "a", "--robots", sites, "-o", filepath.Join(dir, name), "--rejects", filepath.Join(dir, name+".rejects"), "--resume"}, keep...)
			return runKilled(t, exec.Command(heed, append(args, lists...)...), after)
		}
		want, got := fmt.Sprint("want", round), fmt.Sprint("got", round)
		run(want, 0)
		for longest := 60; !run(got, time.Duration(rand.IntN(longest*1000)+1)*time.Microsecond); longest += longest / 4 { // in ms
			kills++
		}
		sameFiles(t, filepath.Join(dir, got+".rejects"), filepath.Join(dir, want+".rejects"))
		if len(lists) == 1 {
			sameFiles(t, filepath.Join(dir, got), filepath.Join(dir, want))
		} else {
			sameFolders(t, filepath.Join(dir, got), filepath.Join(dir, want))
		}
		if _, err := os.Stat(filepath.Join(dir, got+".checkpoint")); err == nil {
			t.Error("the checkpoint stays after the end")
		}
	}
	t.Logf("killed or interrupted %d times", kills)
}

// killLists makes lists in Parquet, with rows without a URL.
func killLists(t *testing.T, dir string) (names []string) {
	type row struct {
		URL string `parquet:"url,optional"`
		N   int64  `parquet:"n,delta"`
	}
	for list := range 3 {
		var rows []row
		for i := range 10_000 {
			url := fmt.Sprintf("https://a.example/%s/%d", []string{"cart", "x"}[i%2], i)
			if i%20 == 7 {
				url = ""
			}
			rows = append(rows, row{url, rand.Int64()})
		}
		names = append(names, filepath.Join(dir, fmt.Sprintf("%d.parquet", list)))
		if err := parquet.WriteFile(names[list], rows, parquet.MaxRowsPerRowGroup(2000), parquet.DataPageVersion(1+list%2)); err != nil {
			t.Fatal(err)
		}
	}
	return names
}

// runKilled runs a command, and kills or interrupts it after a time; 0: never. It returns whether it ended by itself.
func runKilled(t *testing.T, c *exec.Cmd, after time.Duration) (ended bool) {
	t.Helper()
	var told bytes.Buffer
	c.Stderr = &told
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if after > 0 {
		how := []os.Signal{os.Kill, os.Interrupt}[rand.IntN(2)]
		timer := time.AfterFunc(after, func() { c.Process.Signal(how) })
		defer timer.Stop()
	}
	err := c.Wait()
	switch status := c.ProcessState.ExitCode(); {
	case status == 0 || status == 2 && bytes.Contains(told.Bytes(), []byte("an earlier run has ended")): // it was killed when it had ended
		return true
	case after == 0 || status != -1 && status != 3: // -1: by a signal
		t.Fatalf("%v: %s", err, &told)
	}
	return false
}

func sameFiles(t *testing.T, got, want string) {
	t.Helper()
	a, errA := os.ReadFile(got)
	b, errB := os.ReadFile(want)
	if errA != nil || errB != nil || !bytes.Equal(a, b) {
		t.Fatalf("%s: %d bytes after kills, %d without; %v, %v", got, len(a), len(b), errA, errB)
	}
}

// sameFolders checks that two folders have the same files, and no others.
func sameFolders(t *testing.T, got, want string) {
	t.Helper()
	a, errA := os.ReadDir(got)
	b, errB := os.ReadDir(want)
	if errA != nil || errB != nil || len(a) != len(b) {
		t.Fatalf("%s: %v after kills, %v without; %v, %v", got, a, b, errA, errB)
	}
	for _, file := range b {
		sameFiles(t, filepath.Join(got, file.Name()), filepath.Join(want, file.Name()))
	}
}
