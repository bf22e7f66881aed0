package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/heed-robots/heed/cmd/heed/internal/exit"
	"github.com/heed-robots/heed/internal/lines"
)

// JSON has an object for every line of standard input, also for one that is too long.
func TestEveryLineHasAnObject(t *testing.T) {
	long := "https://a.example/" + strings.Repeat("x", 2*lines.MaxURL)
	input := "https://a.example/1\n" + long + "\nhttps://a.example/3\nnowhere\n" + long
	robots := filepath.Join(t.TempDir(), "robots.txt")
	if err := os.WriteFile(robots, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, source := range map[string][]string{
		"a file": {"--robots", robots},
		"a site": {"--offline", "--store", t.TempDir()},
	} {
		var stdout, stderr bytes.Buffer
		args := append([]string{"check", "-a", "x", "--format", "jsonl", "-"}, source...)
		status := Run(args, strings.NewReader(input), &stdout, &stderr)
		objects := strings.Split(strings.TrimSuffix(stdout.String(), "\n"), "\n")
		if status != exit.Usage || len(objects) != 5 {
			t.Fatalf("%s: exit status %d, %d objects: %.2000s", name, status, len(objects), stdout.String())
		}
		for i, want := range []string{
			`{"url":"https://a.example/1",`,
			`{"url":"","allowed":false,"reason":"invalid-target","error":"standard input, line 2: the line is longer than 1048576 bytes; expected a shorter line",`,
			`{"url":"https://a.example/3",`,
			`{"url":"nowhere","allowed":false,"reason":"invalid-target",`,
			`{"url":"","allowed":false,"reason":"invalid-target","error":"standard input, line 5: the line is longer than`,
		} {
			if !strings.HasPrefix(objects[i], want) {
				t.Errorf("%s: object %d is %.200s, want %s", name, i+1, objects[i], want)
			}
		}
	}
}
