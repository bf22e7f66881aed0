package cli

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/heed-robots/heed/internal/testing/portion"
)

// The examples in other languages print what is expected, if the language is installed.
func TestExamples(t *testing.T) {
	portion.Skip(t, 4)
	t.Parallel()
	heed := buildHeed(t)
	for _, c := range []struct{ program, file, first string }{
		{"python3", "python/heed.py", "disallowed {'line': 5, 'allow': False, 'pattern': '/'}"},
		{"node", "node/heed.mjs", `disallowed {"line":5,"allow":false,"pattern":"/"}`},
	} {
		t.Run(c.program, func(t *testing.T) {
			program, err := exec.LookPath(c.program)
			if err != nil {
				t.Skipf("%s is not installed: examples/%s is not run", c.program, c.file)
			}
			command := exec.Command(program, filepath.Join("../../../../examples", c.file), heed, "30000")
			var speed strings.Builder
			command.Stderr = &speed
			out, err := command.Output()
			want := c.first + "\n25000 of 30000 are allowed\n"
			if got := strings.ReplaceAll(string(out), "\r\n", "\n"); err != nil || got != want {
				t.Errorf("%v: got %s, want %s; %s", err, got, want, speed.String())
			}
			t.Log(strings.TrimSpace(speed.String()))
		})
	}
}
