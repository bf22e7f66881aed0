package binding

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestStart: the packages make little before a program starts, since a page or a program for one
// question waits for it.
func TestStart(t *testing.T) {
	program := exec.Command(os.Args[0], "-test.run=^$")
	program.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	out, err := program.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	sum, packages := 0, 0
	for line := range strings.Lines(string(out)) {
		var name, at, took string
		var bytes int
		n, _ := fmt.Sscanf(line, "init %s @%s ms, %s ms clock, %d bytes", &name, &at, &took, &bytes)
		if ours := strings.HasPrefix(name, "github.com/heed-robots/heed/") && !strings.HasSuffix(name, "/binding"); ours && n == 4 {
			packages++
			if sum += bytes; bytes > 32<<10 {
				t.Errorf("%s makes %d bytes", name, bytes)
			}
		}
	}
	if packages < 4 || sum == 0 {
		t.Errorf("%d packages make %d bytes: the trace is not read: %s", packages, sum, out)
	}
}
