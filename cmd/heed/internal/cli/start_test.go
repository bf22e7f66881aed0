package cli

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// Each start of heed waits until all packages are initialized. What they allocate says how much they do, and is about
// the same on all machines. If a dependency does more, see docs/dependencies.md.
func TestPackagesDoLittleAtStart(t *testing.T) {
	command := exec.Command(buildHeed(t), "--version")
	command.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	trace, err := command.CombinedOutput()
	if err != nil {
		t.Fatal(err)
	}
	all, own := 0, 0 // bytes
	for _, line := range regexp.MustCompile(`(?m)^init (\S+) @.* (\d+) bytes, `).FindAllSubmatch(trace, -1) {
		n, _ := strconv.Atoi(string(line[2]))
		all += n
		if bytes.HasPrefix(line[1], []byte("github.com/heed-robots/")) {
			own += n
		}
	}
	if all == 0 || all > 800_000 || own > 50_000 {
		t.Errorf("packages allocate %d bytes, those of Heed %d of them; expected at most 800,000 and 50,000:\n%s", all, own, trace)
	}
}

// A run makes the command that is asked for, and no other.
func TestOnlyTheAskedCommandIsMade(t *testing.T) {
	for line, most := range map[string]float64{"--version": 150, "version": 250} { // all commands are 1,500 allocations
		run := func() { Run([]string{line}, strings.NewReader(""), io.Discard, io.Discard) }
		if n := testing.AllocsPerRun(10, run); n > most {
			t.Errorf("heed %s allocates %v times, expected at most %v", line, n, most)
		}
	}
}

// If a program executes a template, or finds a method by a name that is no constant, the linker keeps each exported method:
// the command would be 13 MB larger.
func TestLinkerLeavesMethodsOut(t *testing.T) {
	heed, err := os.ReadFile(buildHeed(t))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"net/http.(*Client).Do": true, "net/http.(*Client).PostForm": false} { // which nobody calls
		if bytes.Contains(heed, []byte(name)) != want {
			t.Errorf("the command has %s: %v, want %v; -ldflags=-dumpdep shows what is <ReflectMethod>", name, !want, want)
		}
	}
}
