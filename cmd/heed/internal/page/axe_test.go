package page_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/runtime"
	"github.com/heed-robots/heed/internal/testing/portion"
)

// axe-core finds nothing that would keep people from using the page. With HEED_WHOLE, both colour schemes are
// tested with both widths, else one with each.
func TestAxe(t *testing.T) {
	axe := axeCore(t)
	either(t, func(t *testing.T, url string) { testAxe(t, url, axe) })
}

func testAxe(t *testing.T, url, axe string) {
	for _, scheme := range []string{"light", "dark"} {
		for _, width := range []int64{wide, phone} {
			if (scheme == "dark") != (width == phone) && !portion.Whole() {
				continue // the colours do not depend on the width
			}
			p := open(t, url, width, command(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
				Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
			}))
			p.ask(shop+"Disalow: /x\n", "/", "/cart")
			p.awaitCell(1, 0, "✗disallowed, line 2")
			p.await(`document.querySelector("#finding-list").children.length > 0`)
			p.do(command(runtime.Evaluate, runtime.EvaluateParams{Expression: axe}))
			for _, view := range []string{"ask", "write", "compare", "history"} {
				if value[bool](p, `document.querySelector("#tab-`+view+`").hidden`) {
					continue // without a server there is no history
				}
				p.click("#tab-" + view)
				if view == "write" {
					p.openAll()
				}
				if view == "compare" {
					p.fill("#compare .editor", "User-agent: *\nContent-Usage: train-ai=n\n")
					p.fill("#flips-list", "/cart\n/a\n")
					p.await(`document.querySelector("#flips-headline") !== null`)
				}
				p.await(`[...document.querySelectorAll('[aria-busy="true"]')].every((e) => e.offsetParent === null)`) // what waits for an answer is pale
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
	t.Helper()
	script, err := os.ReadFile(filepath.Join(installed(t), "node_modules/axe-core/axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	return string(script)
}
