package cli

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/heed-robots/heed/internal/testing/portion"
	"github.com/heed-robots/heed/internal/testing/signature"
)

// SG-6: nothing that a daemon writes, answers, sends or stores has the private key, also what it says of failures and when it is
// stopped with all its stacks.
func TestServeKeepsTheKeySecret(t *testing.T) {
	portion.Skip(t, 4)
	t.Parallel()
	folder := t.TempDir()
	key, tokens := filepath.Join(folder, "bot.key"), filepath.Join(folder, "tokens")
	if out, err := exec.Command("heed", "identity", "new", key).CombinedOutput(); err != nil { // heed is made by TestMain
		t.Fatalf("%v: %s", err, out)
	}
	const token = "0123456789abcdef"
	if err := os.WriteFile(tokens, []byte(token), 0o600); err != nil {
		t.Fatal(err)
	}
	seen := &logged{}
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(seen, r.Header)
		io.WriteString(w, "User-agent: *\nDisallow: /closed\n")
	}))
	defer site.Close()
	store := filepath.Join(folder, "store")
	d := startServe(t, "--store", store, "--identity", key, "--identity-agent", "https://bot.example", "--user-agent", "ExampleBot/1.0", "--token-file", tokens, "--log", "json", "--log-decisions")
	ask := func(method, path, body string) {
		r, err := http.NewRequest(method, d.url+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+token)
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		fmt.Fprintln(seen, method, path, response.Header)
		io.Copy(seen, response.Body)
	}
	for _, url := range []string{site.URL + "/open", site.URL + "/closed", "http://127.0.0.1:2/", "ftp://a.example/", "x"} {
		ask("POST", "/v1/sign", `{"url":"`+url+`"}`)
		ask("GET", "/v1/check?agent=ExampleBot&url="+url, "")
		ask("GET", "/v1/robots?url="+url, "")
	}
	for _, path := range []string{"/", "/metrics", "/openapi.json", "/.well-known/http-message-signatures-directory", "/nothing"} {
		ask("GET", path, "")
	}
	d.Process.Signal(syscall.SIGQUIT)
	d.Wait()
	text := string(seen.text) + string(d.log.text)
	if log, _, stacks := strings.Cut(string(d.log.text), "SIGQUIT"); !stacks || strings.Contains(log, "\nheed serve: ") {
		t.Errorf("not all of the log is JSON: %s", log)
	}
	for _, part := range []string{"Signature:[sig1=:", `"keys"`, "SIGQUIT", "heed_"} {
		if !strings.Contains(text, part) {
			t.Errorf("there is no %s in the output: nothing is proved", part)
		}
	}
	if how := signature.Leaked(key, text); how != "" {
		t.Errorf("the output shows the key: %s", how)
	}
	filepath.WalkDir(store, func(path string, _ os.DirEntry, _ error) error {
		if data, err := os.ReadFile(path); err == nil {
			if how := signature.Leaked(key, string(data)); how != "" {
				t.Errorf("%s shows the key: %s", path, how)
			}
		}
		return nil
	})
}
