package page_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// axe-core finds nothing that would keep people from using the page.
func TestAxe(t *testing.T) {
	axe := axeCore(t)
	address := daemon(t)
	for _, scheme := range []string{"light", "dark"} {
		for _, width := range []int64{wide, phone} {
			p := open(t, address, width, command(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
				Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
			}))
			p.ask(shop+"Disalow: /x\n", "/", "/cart")
			p.awaitCell(1, 0, "✗disallowed, line 2")
			p.await(`document.querySelector("#finding-list").children.length > 0`)
			p.do(command(runtime.Evaluate, runtime.EvaluateParams{Expression: axe}))
			for _, view := range []string{"ask", "compare", "history"} {
				p.do(chromedp.Click(chromedp.CSS("#tab-" + view)))
				p.script(`window.found = null; axe.run().then((r) => { window.passed = r.passes.length; window.found = r.violations.map((v) => v.id + ": " + v.help + ": " + v.nodes.map((n) => n.html.slice(0, 200) + " " + n.any.map((a) => a.message).join(" ")).slice(0, 3).join(" ; ")); })`)
				p.await("window.found !== null")
				if passed := value[int](p, "window.passed"); passed < 20 {
					t.Errorf("%s: only %d rules of axe apply", view, passed)
				}
				for _, each := range value[[]string](p, "window.found") {
					t.Errorf("%s, %d pixels, %s: %s", scheme, width, view, each)
				}
			}
		}
	}
}

// axeCore returns the script of axe-core, which it installs as the lock file says.
func axeCore(t *testing.T) string {
	if _, err := exec.LookPath("npm"); err != nil {
		t.Skip("needs npm")
	}
	dir := t.TempDir()
	for _, name := range []string{"package.json", "package-lock.json"} {
		text, err := os.ReadFile("web/" + name)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	install := exec.Command("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	install.Dir = dir
	if said, err := install.CombinedOutput(); err != nil {
		if os.Getenv("CI") == "" {
			t.Skipf("npm installs nothing here: %v\n%s", err, said)
		}
		t.Fatalf("%v\n%s", err, said)
	}
	script, err := os.ReadFile(filepath.Join(dir, "node_modules/axe-core/axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	return string(script)
}
