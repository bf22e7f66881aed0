package source_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/heed-robots/heed/internal/bulk/source"
)

// A pipe can be read once, so KindOf reads nothing of it, and Load reads it from its begin. In a folder,
// where nobody may write to it, it is rejected.
func TestPipe(t *testing.T) {
	const line = `{"origin":"http://a.example","status":404}`
	plain := string(record(0, "http://a.example/robots.txt", "HTTP/1.1 404 x\r\n\r\n"))
	for name, text := range map[string]string{"lines": line, "lines.gz": zipped(line), "warc": plain, "warc.gz": zipped(plain) + zipped(plain)[:30], "warc.zst": zstandard(t, plain)} {
		dir := t.TempDir()
		pipe := filepath.Join(dir, name)
		if err := syscall.Mkfifo(pipe, 0o600); err != nil {
			t.Fatal(err)
		}
		if kind, err := source.KindOf(pipe); err == nil {
			t.Errorf("%s: %s", name, kind)
		}
		if _, err := tryLoad(&source.Loader{}, dir); err == nil {
			t.Errorf("%s: a folder with a pipe is read", name)
		}
		written := make(chan error)
		go func() { written <- os.WriteFile(pipe, []byte(text), 0o600) }()
		got := load(t, pipe)
		if err := <-written; err != nil {
			t.Fatal(err)
		}
		if wantCut := name == "warc.gz"; (len(got.rejected) > 0) != wantCut {
			t.Errorf("%s: %q", name, got.rejected)
		}
		checkTexts(t, name, texts(got.captures), []string{`http://a.example/robots.txt 404 ""`})
	}
}
