package cli

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"testing"
)

// The clients of heed serve in other languages print what is expected, if the language is
// installed.
func TestServeClients(t *testing.T) {
	t.Parallel()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, "User-agent: *\nDisallow: /cart\nDisallow: /1\n")
	}))
	defer site.Close()
	daemon := startServe(t)
	for _, client := range []struct{ program, file string }{{"python3", "heed.py"}, {"node", "heed.mjs"}, {"sh", "heed.sh"}} {
		t.Run(client.program, func(t *testing.T) {
			for _, needed := range []string{client.program, "curl"} {
				if _, err := exec.LookPath(needed); err != nil && (needed != "curl" || client.program == "sh") {
					t.Skipf("%s is not installed: examples/clients/%s is not run", needed, client.file)
				}
			}
			command := exec.Command(client.program, "../../../../examples/clients/"+client.file, strings.TrimPrefix(daemon.url, "http://"), site.URL)
			var failures strings.Builder
			command.Stderr = &failures
			out, err := command.Output()
			const want = "check false\nstream 889\nturn true\n" // 1111 of 2000 begin with 1
			if got := strings.ToLower(string(out)); err != nil || got != want {
				t.Errorf("%v: got %s, want %s; %s", err, got, want, failures.String())
			}
		})
	}
}
