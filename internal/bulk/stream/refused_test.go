package stream

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/heed-robots/heed/internal/bulk"
)

// A run that is refused because its input has changed makes no file, and leaves the output as it is.
func TestRefusedResume(t *testing.T) {
	dir := t.TempDir()
	list, out, rejects := filepath.Join(dir, "list"), filepath.Join(dir, "out"), filepath.Join(dir, "rejects")
	os.WriteFile(list, []byte("https://a.example/\n"), 0o600)
	before := checkpoint{Version: checkpointVersion, Name: list, Size: 5, Line: 1, Offset: 5}
	if err := before.write(out); err != nil {
		t.Fatal(err)
	}
	os.WriteFile(out, []byte("of the run before"), 0o600)
	_, err := Run(context.Background(), &Options{Decider: new(bulk.Decider), Inputs: []string{list}, To: out, Rejects: rejects, Resume: true})
	if err == nil || !strings.Contains(err.Error(), "has changed since the run was interrupted") {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(rejects); err == nil {
		t.Error("there is a file of rejects")
	}
	if got, _ := os.ReadFile(out); string(got) != "of the run before" {
		t.Errorf("the output is %q", got)
	}
}
