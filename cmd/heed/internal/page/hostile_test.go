package page_test

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/heed-robots/heed/internal/testing/portion"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// Text of others never becomes a part of the page: no script runs, no dialog opens, and nothing
// breaks the policy; open checks the last two.
func TestHostileFile(t *testing.T) {
	const script = `<script>window.hit=1</script><img src=x onerror="window.hit=1;alert(1)"><svg onload=alert(1)>"'&lt;javascript:alert(1)`
	robots := "User-agent: *\nDisallow: /" + script + "\nDisalow: " + script + "\n" + script + ": " + script + "\nUser-agent: " + script + "\nDisallow: /\n# " + script + "\nSitemap: javascript:alert(1)\n"
	both(t, func(t *testing.T, url string) {
		p := open(t, url, wide)
		p.ask(robots, "/"+script, "javascript:alert(1)", "/ok")
		p.await(cellText(2, 0) + ` === "✓allowed, no rule matches"`)
		p.await(`document.querySelector("#finding-list").children.length > 0`)
		p.fill("#add-crawler", script)
		p.press(kb.Enter, 0)
		p.awaitCell(0, 3, "? error, not a crawler")
		p.click(`#grid [data-row="0"][data-column="0"]`)
		p.await(`document.querySelector("#why").innerText.includes("<script>")`)
		p.click("#tab-compare")
		p.fill("#compare .editor", shop+"Disallow: /"+script)
		p.await(`document.querySelector("#change-result") !== null`)
		p.mayFail = true // the daemon refuses some of what follows
		p.click("#tab-write")
		p.openAll()
		p.fill(".path-lists textarea", "/"+script+"\n/\u202eterces")
		p.await(isProved + ` && ` + robotsShown + `.includes("/<script>window.hit") && ` + robotsShown + `.includes("/%E2%80%AEterces")`)
		p.fill(".named input", script)
		p.await(`document.querySelector(".named .of > .error").textContent.includes("<script>")`)
		p.fill("#write .editor", script+": "+script+"\n\u202e: disallow\n"+`"`+script+`": disallow`)
		p.await(isRefused + ` && document.querySelector("#write-errors").textContent.includes("<script>") && document.querySelector("#write-errors").textContent.includes("\\u202e")`)
		p.fill("#write .editor", "everyone: record X-"+script+" : "+script+" \u202e\nseo:\n")
		p.await(`document.querySelector("#switches").innerText.includes("Also in the text: record X-<script>")`)
		p.ask(robots, "/")
		p.click("#tab-write")
		p.click("#begin-with")
		p.await(`document.querySelector("#begun").hidden === false`)
		if value[bool](p, `window.hit === 1 || document.querySelector("img, svg, iframe, body script, [onerror], [onload]") !== null`) {
			t.Error("the text became a part of the page")
		}
	})
}

// link returns the end of the address that opens a state. Members that are not given have the value
// that a link without them has.
func link(t *testing.T, robots string, others map[string]any) string {
	t.Helper()
	state := map[string]any{"v": 1, "robots": robots}
	for name, value := range others {
		state[name] = value
	}
	text, err := json.Marshal(state)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	z, _ := flate.NewWriter(&b, flate.BestCompression) // no error: the level is one of its own
	z.Write(text)                                      // into memory
	z.Close()
	return "#1." + base64.RawURLEncoding.EncodeToString(b.Bytes())
}

// Characters that nobody sees, or that turn the text around, are shown as escapes: two different
// URLs must not look alike.
func TestUnseenCharacters(t *testing.T) {
	address := files(t) + link(t, "User-agent: *\nDisallow: /\nAllow: /\u202eterces\n", map[string]any{"urls": []string{"/\u202eterces"}})
	p := open(t, address, wide)
	p.awaitCell(0, 0, "✓allowed, line 3")
	for _, part := range []string{
		`document.querySelector("#grid .row > .url[role=rowheader]").textContent`,
		`document.querySelector("#why-body .headline")?.textContent ?? ""`,
		`document.querySelector("#editor").shadowRoot.querySelector(".cm-decides").textContent`,
	} {
		p.await("(" + part + ")" + `.includes("/\\u{202E}terces")`)
	}
}

// So are letters that imitate ASCII letters, also where a long URL is cut inside of their word.
func TestLookAlikesAreShown(t *testing.T) {
	portion.Skip(t, 4)
	address := files(t) + link(t, "User-agent: *\nDisallow: /\nAllow: /\u0441art\n", map[string]any{"urls": []string{"/\u0441art", "/\u0441" + strings.Repeat("\u043e", 30) + "t"}})
	p := open(t, address, wide)
	p.awaitCell(0, 0, "✓allowed, line 3")
	for _, part := range []string{
		`document.querySelector("#grid .row > .url[role=rowheader]").textContent`,
		`document.querySelector("#why-body .headline")?.textContent ?? ""`,
	} {
		p.await("(" + part + ")" + `.includes("/\\u{441}art")`)
	}
	p.await(`[...document.querySelectorAll("#grid .row > .url[role=rowheader]")].at(-1).textContent.startsWith("/\\u{441}\\u{43E}")`)
}

// The page has the bytes of the file, whatever they are: those that are no UTF-8, and the line ends.
func TestBytes(t *testing.T) {
	portion.Skip(t, 4)
	const robots = "User-agent: *\r\nDisallow: /caf\xe9\r\nDisallow: /\xf0\x9f\x98\x80/\xff\r\nDisalow: /x\r\n"
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, robots) }))
	t.Cleanup(site.Close)
	p := open(t, daemon(t), wide)
	p.fill("#site-place input", site.URL)
	p.press(kb.Enter, 0)
	p.await(`document.querySelector("#site-note").textContent.includes("fetched just now")`)
	p.fill("#urls", "/caf%E9\n/%F0%9F%98%80/%FF")
	p.awaitCell(0, 0, "✗disallowed, line 2")
	p.awaitCell(1, 0, "✗disallowed, line 3")
	size := fmt.Sprintf(`document.querySelector("#file-size").textContent.startsWith("%d bytes")`, len(robots))
	p.await(size)
	p.click("#tab-compare")
	p.click(`#compare input[value="site"]`)
	p.click("#compare form button")
	p.await(`(document.querySelector("#change-result")?.textContent ?? "").startsWith("No verdict changes")`)
	p.click("#tab-ask")

	p.await(`document.querySelector('#finding-list [data-line="4"] .fix') !== null`)
	p.script(`document.querySelector('#finding-list [data-line="4"] .fix').click()`)
	p.awaitCell(1, 0, "✗disallowed, line 3")
	p.await(strings.Replace(size, fmt.Sprint(len(robots)), fmt.Sprint(len(robots)+1), 1))
}

// slow delays the answers of one kind, which come also if nobody waits for them, and counts them.
func (p *tab) slow(kind string, milliseconds int) {
	p.Helper()
	p.script(fmt.Sprintf(`const real = window.fetch; window.answers = 0; window.fetch = async (path, options) => {
		const answer = await real(path, { ...options, signal: null }), text = await answer.text();
		if (path.includes(%q)) { await new Promise((r) => setTimeout(r, %d)); window.answers++; }
		return new Response(text, { status: answer.status });
	}`, kind, milliseconds))
}

// An answer to a question that nobody asks any more is not shown, and what is shown of an older
// question is marked.
func TestLateAnswers(t *testing.T) {
	portion.Skip(t, 4)
	t.Run("grid", func(t *testing.T) {
		p := open(t, daemon(t), wide)
		p.ask(shop, "/cart")
		p.awaitCell(0, 0, "✗disallowed, line 2")
		p.slow("grid", 500)
		p.fill("#urls", "/q")
		p.await(`document.querySelector("#verdicts").ariaBusy === "true"`)
		p.fill("#urls", "")
		p.await(`window.answers > 0`)
		p.await(`document.querySelector("#grid-error").textContent.startsWith("Name a URL") && document.querySelector("#grid .cell") === null`)
		p.await(`document.querySelector("#verdicts").ariaBusy === "false"`)
	})
	t.Run("explain", func(t *testing.T) {
		p := open(t, daemon(t), wide)
		p.ask(shop, "/cart", "nonsense")
		p.awaitCell(0, 0, "✗disallowed, line 2")
		p.slow("explain", 500)
		p.click(`#grid [data-row="0"][data-column="1"]`)
		p.await(`document.querySelector("#why").ariaBusy === "true"`)
		p.click(`#grid [data-row="1"][data-column="1"]`)
		p.await(`document.querySelector("#why").innerText.includes("Heed cannot compare this URL")`)
		time.Sleep(700 * time.Millisecond)
		if text := value[string](p, `document.querySelector("#why").innerText`); !strings.Contains(text, "Heed cannot compare this URL") {
			t.Errorf("the explanation of another cell is shown: %s", text)
		}
	})
}

// A short link can have rules with very many wildcards, which are not all drawn.
func TestManyWildcards(t *testing.T) {
	portion.Skip(t, 4)
	robots := "User-agent: *\n" + strings.Repeat("Disallow: /"+strings.Repeat("*a", 3000)+"\n", 10)
	p := open(t, files(t)+link(t, robots, map[string]any{"urls": []string{"/" + strings.Repeat("a", 6000)}}), wide)
	p.await(`document.querySelector("#why .candidate") !== null`)
	if n := value[int](p, `document.querySelectorAll("*").length`); n > 5000 {
		t.Errorf("%d elements", n)
	}
}

// A URL in a link has one line, as in the field.
func TestLinkWithLines(t *testing.T) {
	portion.Skip(t, 4)
	p := open(t, files(t)+link(t, "User-agent: *\nDisallow: /b\n", map[string]any{"urls": []string{"/a\n/b"}}), wide)
	p.awaitCell(0, 0, "✓allowed, no rule matches")
	p.awaitCell(1, 0, "✗disallowed, line 2")
}

// A link with a very long crawler or URL is not opened, and the page says so at once: it would not
// answer for seconds.
func TestLinkThatIsTooLong(t *testing.T) {
	for name, others := range map[string]map[string]any{
		"a crawler in more than 8192": {"agents": []string{strings.Repeat("a", 1<<20)}},
		"a URL of more than 65536":    {"urls": []string{"/" + strings.Repeat("a", 1<<20)}},
	} {
		p := open(t, files(t)+link(t, "User-agent: *\nDisallow: /b\n", others), wide)
		p.await(fmt.Sprintf(`document.querySelector("#notice").textContent.includes(%q)`, name))
		if n := value[int](p, `document.documentElement.outerHTML.length`); n > 500_000 {
			t.Errorf("%s: the page has %d characters", name, n)
		}
	}
}

// A link that could not be opened again is not made.
func TestTooLargeForLink(t *testing.T) {
	p := open(t, files(t), wide)
	p.fill("#editor", "# "+strings.Repeat("\u0001", 800_000))
	p.awaitCell(0, 0, "✓allowed, no group applies")
	p.click("#copy-link")
	p.await(`document.querySelector("#notice").textContent === "The texts are too large for a link."`)
	if hash := value[string](p, "location.hash"); hash != "" {
		t.Errorf("the address has a link of %d characters", len(hash))
	}
}

// A file of the page that is missing for a moment is asked for again.
func TestMissingWorker(t *testing.T) {
	portion.Skip(t, 4)
	for _, name := range []string{"worker.js", "heed.wasm"} {
		t.Run(name, func(t *testing.T) {
			folder, err := static()
			if err != nil {
				t.Fatal(err)
			}
			var isThere atomic.Bool
			isThere.Store(true)
			all := http.FileServer(http.Dir(folder))
			started := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if !isThere.Load() && strings.HasSuffix(r.URL.Path, name) {
					w.WriteHeader(http.StatusServiceUnavailable)
					return
				}
				w.Header().Set("Cache-Control", "no-store")
				all.ServeHTTP(w, r)
			}))
			t.Cleanup(started.Close)
			p := open(t, started.URL+"/", wide)
			isThere.Store(false)
			p.mayFail = true
			p.do(chromedp.Reload())
			p.await(`document.querySelector("#grid-error")?.hidden === false`)
			isThere.Store(true)
			p.ask(shop, "/cart")
			p.awaitCell(0, 0, "✗disallowed, line 2")
		})
	}
}
