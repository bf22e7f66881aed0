package heed_test

import (
	"encoding/pem"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// packages are those that README's blocks may use without importing them.
var packages = map[string]string{
	"context": "context", "fmt": "fmt", "http": "net/http", "testing": "testing",
	"heed": module, "heedtest": module + "/heedtest", "polite": module + "/polite",
}

const module = "github.com/heed-robots/heed"

// program returns a block of Go as a whole file: itself, a test, or what a function
// does whose error is printed.
func program(block string) string {
	var b strings.Builder
	body := block
	switch {
	case strings.HasPrefix(block, "package "):
		return block
	case strings.HasPrefix(block, "func Test"):
		b.WriteString("package main\n")
	default:
		body = "func main() { if err := run(context.Background()); err != nil { fmt.Println(err) } }\n" +
			"func run(ctx context.Context) error {\n" + block + "}\n"
		b.WriteString("package main\n")
	}
	code := regexp.MustCompile(`\s//.*`).ReplaceAllString(body, "")
	for name, path := range packages {
		if regexp.MustCompile(`\b` + name + `\.`).MatchString(code) {
			b.WriteString("import \"" + path + "\"\n")
		}
	}
	return b.String() + body
}

// README's Go compiles, runs, and does what README says, against a server that is
// www.example.com behind a proxy.
func TestReadmeGo(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	var blocks []string
	for _, m := range regexp.MustCompile("(?ms)^```go\n(.*?)^```$").FindAllStringSubmatch(string(readme), -1) {
		blocks = append(blocks, m[1])
	}
	wants := []string{"false 2\n.*: disallowed by line 2: Disallow: /cart\n", "PASS\n", "disallowed by line 2: Disallow: /cart\n"}
	if len(blocks) != len(wants) {
		t.Fatalf("%d blocks, %d are known", len(blocks), len(wants))
	}
	environment := append(os.Environ(), exampleCom(t, "User-agent: *\nDisallow: /cart\n")...)
	for i, block := range blocks {
		folder := t.TempDir()
		file, built := filepath.Join(folder, "main.go"), filepath.Join(folder, "program.exe")
		build := []string{"build", "-o", built, file}
		if strings.HasPrefix(block, "func Test") {
			file = filepath.Join(folder, "main_test.go")
			build = []string{"test", "-c", "-o", built, file}
		}
		if err := os.WriteFile(file, []byte(program(block)), 0o600); err != nil {
			t.Fatal(err)
		}
		if said, err := exec.Command("go", build...).CombinedOutput(); err != nil {
			t.Errorf("%v: %s\n%s", err, said, block)
			continue
		}
		if strings.Contains(block, "https://www.example.com/") && (runtime.GOOS == "windows" || runtime.GOOS == "darwin") {
			continue // where nobody can be told which certificates to trust
		}
		run := exec.Command(built)
		run.Env = environment
		said, err := run.CombinedOutput()
		if err != nil || !regexp.MustCompile("^"+wants[i]+"$").Match(said) {
			t.Errorf("%v: got %s, want %s\n%s", err, said, wants[i], block)
		}
	}
}

// exampleCom starts a server of https that is every site of example.com, with a
// robots.txt, and returns the environment in which a program finds it.
func exampleCom(t *testing.T, robots string) []string {
	t.Helper()
	site := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, robots) }))
	t.Cleanup(site.Close)
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodConnect || !strings.HasSuffix(r.Host, "example.com:443") {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		to, err := net.Dial("tcp", site.Listener.Addr().String())
		if err != nil {
			return
		}
		defer to.Close()
		from, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer from.Close()
		io.WriteString(from, "HTTP/1.1 200 Connected\r\n\r\n")
		go io.Copy(to, from)
		io.Copy(from, to)
	}))
	t.Cleanup(proxy.Close)
	roots := filepath.Join(t.TempDir(), "roots.pem")
	block := &pem.Block{Type: "CERTIFICATE", Bytes: site.Certificate().Raw}
	if err := os.WriteFile(roots, pem.EncodeToMemory(block), 0o600); err != nil {
		t.Fatal(err)
	}
	return []string{"HTTPS_PROXY=" + proxy.URL, "NO_PROXY=", "SSL_CERT_FILE=" + roots, "SSL_CERT_DIR=" + os.DevNull}
}
