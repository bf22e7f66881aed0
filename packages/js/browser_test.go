package js_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/heed-robots/heed/internal/testing/portion"
)

// A page and a worker load the package in a browser, with the strictest policy that the README allows, from a
// server that knows the type of WebAssembly, and from one that does not. So does the page of the README, without a policy.
func TestBrowser(t *testing.T) {
	portion.Skip(t, 4)
	program, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("needs Chromium")
	}
	folder := installed(t)
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, page, _ := strings.Cut(string(readme), "```html\n")
	page, _, _ = strings.Cut(page, "```")
	bare := filepath.Join(folder, "heed-robots") // the files that the README names
	if err := os.Mkdir(bare, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"index.js", "core.js", "program.js", "wasi.js", "heed.wasm"} {
		if err := os.Link(filepath.Join(folder, "node_modules/heed-robots", name), filepath.Join(bare, name)); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{
		"readme.html": page,
		"index.html":  `<!doctype html><meta charset="utf-8"><script type="module" src="page.js"></script>`,
		"page.js": `import { parse } from "./node_modules/heed-robots/index.js";
			const { line } = parse("User-agent: *\nDisallow: /cart\n").agent("ExampleBot").check("/cart");
			new Worker("worker.js", { type: "module" }).addEventListener("message", ({ data }) => { document.title = "line " + line + ", " + data; });`,
		"worker.js": `import { parse } from "./node_modules/heed-robots/index.js";
			const all = parse("User-agent: *\nDisallow: /cart\n").agent("ExampleBot").checkAll(["/", "/cart"]);
			postMessage(all.map((decision) => decision.allowed).join(" "));`,
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	flags := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.NoSandbox, chromedp.DisableGPU)
	ctx, stop := chromedp.NewExecAllocator(context.Background(), flags...)
	defer stop()
	ctx, closeBrowser := chromedp.NewContext(ctx)
	defer closeBrowser()
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for _, kind := range []string{"application/wasm", "text/plain"} {
		files := http.FileServer(http.Dir(folder))
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/readme.html" {
				w.Header().Set("Content-Security-Policy", "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; worker-src 'self'")
			}
			if strings.HasSuffix(r.URL.Path, ".wasm") {
				w.Header().Set("Content-Type", kind)
			}
			files.ServeHTTP(w, r)
		}))
		for page, want := range map[string]string{"/": "line 2, true false", "/readme.html": "rule"} {
			title := ""
			err := chromedp.Do(ctx, chromedp.Navigate(server.URL+page))
			for end := time.Now().Add(20 * time.Second); err == nil && title == "" && time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
				title, err = chromedp.Run(ctx, chromedp.Evaluate[string]("document.title"))
			}
			if err != nil || title != want {
				t.Errorf("%s%s: got %q, %v; want %q", kind, page, title, err, want)
			}
		}
		server.Close()
	}
}
