package stream_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/heed-robots/heed/bulk/stream"
)

// A checkpoint with numbers that no run has is an error, and the output stays as it is.
func TestHostileCheckpoint(t *testing.T) {
	for _, numbers := range []string{
		`"input":-1,"line":1`, `"input":2,"line":1`, `"offset":-5,"line":1`, `"line":-9`, `"line":0`, `"output":-7,"line":1`, `"rejects":-9,"line":1`,
	} {
		out := filepath.Join(t.TempDir(), "out")
		os.WriteFile(out, []byte("before\n"), 0o600)
		os.WriteFile(stream.CheckpointOf(out), []byte(`{"heed_filter_checkpoint":1,"counts":{"Columns":[[0,0,0]]},`+numbers+`}`), 0o600)
		if _, told := filter(t, &stream.Options{To: out, Resume: true}, "https://shop.example/\n"); !strings.Contains(told, "remove it to begin again") {
			t.Errorf("%s: %q", numbers, told)
		}
		if got, err := os.ReadFile(out); err != nil || string(got) != "before\n" {
			t.Errorf("%s: the output is %q now (%v)", numbers, got, err)
		}
	}
}
