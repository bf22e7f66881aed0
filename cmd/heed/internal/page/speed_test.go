package page_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/heed-robots/heed/internal/testing/portion"
)

// tooSlow is no goal: it is far beyond what people notice, so that a busy machine does not fail the
// test. The times that it prints are to be read.
const tooSlow = time.Second

// The time from a keystroke in a file of 500 KiB to the changed verdict, and to the first paint. It
// takes long, so it runs only with HEED_WHOLE.
func TestSpeed(t *testing.T) {
	if !portion.Whole() {
		t.Skip("HEED_WHOLE is not set")
	}
	var file strings.Builder
	file.WriteString("User-agent: *\nDisallow: /cart\n")
	for i := 0; file.Len() < 500<<10; i++ {
		fmt.Fprintf(&file, "Disallow: /catalog/%06d/*.html\n", i)
	}
	both(t, func(t *testing.T, url string) {
		p := open(t, url, wide)
		paint := value[float64](p, `performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? -1`)
		p.ask(file.String(), "/cart")
		p.awaitCell(0, 0, "✗disallowed, line 2")
		p.script(`
			const shown = () => document.querySelector("#grid .cell .verdict")?.textContent;
			let before = shown(), pressed = 0;
			window.times = [];
			document.addEventListener("keydown", (e) => { pressed = e.timeStamp; }, true);
			new MutationObserver(() => {
				if (shown() && shown() !== before) {
					before = shown();
					times.push(performance.now() - pressed);
				}
			}).observe(document.querySelector("#grid"), { subtree: true, childList: true, characterData: true });
			document.querySelector("#editor").shadowRoot.querySelector(".cm-content").focus()`)
		p.press(kb.Home, chromedp.ModifierCtrl)
		p.press(kb.ArrowDown, 0)
		p.press(kb.End, 0)
		const pairs = 15
		for range pairs {
			time.Sleep(300 * time.Millisecond) // lint has answered
			p.press("s", 0)
			p.awaitCell(0, 0, "✓allowed, no rule matches")
			time.Sleep(300 * time.Millisecond)
			p.press(kb.Backspace, 0)
			p.awaitCell(0, 0, "✗disallowed, line 2")
		}
		times := value[[]float64](p, "times")
		slices.Sort(times)
		if len(times) != 2*pairs {
			t.Fatalf("%d answers to %d keystrokes", len(times), 2*pairs)
		}
		t.Logf("first paint after %.0f ms; %d keystrokes in %d KiB: %.0f ms at best, %.0f ms in the middle, %.0f ms at most",
			paint, len(times), file.Len()>>10, times[0], times[len(times)/2], times[len(times)-1])
		if middle := time.Duration(times[len(times)/2] * float64(time.Millisecond)); middle > tooSlow {
			t.Errorf("a keystroke is answered after %v", middle)
		}
	})
}
