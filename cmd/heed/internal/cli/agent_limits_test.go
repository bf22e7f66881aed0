package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/heed-robots/heed/internal/crawlernames"
)

// A crawler that is too long is an error of each command that has -a, and nothing is answered.
func TestLongAgents(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	file := filepath.Join(folder, "a.example.txt")
	if err := os.WriteFile(file, []byte("User-agent: *\nDisallow:\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	token := strings.Repeat("a", crawlernames.MaxToken)
	chain := strings.TrimSuffix(strings.Repeat("a:", crawlernames.MaxTokens), ":")
	header := "ExampleBot/1.0 (" + strings.Repeat("x", crawlernames.MaxHeader-17) + ")"
	for _, args := range [][]string{
		{"check", "--robots", file, "/x"}, {"explain", "--robots", file, "/x"}, {"show", file},
		{"diff", file, file}, {"prove", "blocks-nothing", file}, {"filter", "--robots", folder},
	} {
		for agent, want := range map[string]string{
			token: "", token + "a": "a product token has 513 bytes; expected at most 512",
			chain: "", chain + ":a": "the crawler has 17 product tokens; expected at most 16",
			header: "", header + ")": "a User-Agent header has 8193 bytes; expected at most 8192",
		} {
			var stdout, stderr strings.Builder
			status := Run(append(args, "-a", agent), strings.NewReader(""), &stdout, &stderr)
			refused := status == 2 && strings.Contains(stderr.String(), want) && stdout.Len() == 0
			if refused != (want != "") {
				t.Errorf("%s, %.20q, %d bytes: status %d, %.300q, %.100q", args[0], agent, len(agent), status, stderr.String(), stdout.String())
			}
		}
	}
}
