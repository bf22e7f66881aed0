package cli

import (
	"strings"
	"testing"

	"github.com/heed-robots/heed/internal/testing/portion"
)

// A device is no source of robots.txt files and no other input of a known size: it is status 2 with
// the reason, and nothing is answered.
func TestDevices(t *testing.T) {
	portion.Skip(t, 4)
	t.Parallel()
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"check", "-a", "ExampleBot", "--robots", "/dev/zero", "https://site.example/"}, "/dev/zero"},
		{[]string{"filter", "-a", "ExampleBot", "--robots", "/dev/zero"}, "/dev/zero is a device or a socket: expected a file"},
		{[]string{"compile", "-o", t.TempDir() + "/out", "/dev/zero"}, "/dev/zero is a device or a socket: expected a file"},
		{[]string{"test", "/dev/zero"}, "MiB"},
		{[]string{"lint", "--fix", "/dev/zero"}, "/dev/zero"},
	} {
		var stdout, stderr strings.Builder
		if status := Run(c.args, strings.NewReader(""), &stdout, &stderr); status != 2 || !strings.Contains(stderr.String(), c.want) || strings.Contains(stdout.String(), "allow") {
			t.Errorf("%q: status %d, %q, %.200q", c.args, status, stderr.String(), stdout.String())
		}
	}
}
