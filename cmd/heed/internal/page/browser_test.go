package page_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/cmd/heed/internal/gate"
	"github.com/heed-robots/heed/cmd/heed/internal/server"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/report"
	"github.com/heed-robots/heed/internal/testing/portion"
	"github.com/heed-robots/heed/internal/watch"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

// Chromium is started once for all tests.
var (
	chromium = sync.OnceValues(startChromium)
	stop     = func() {}
)

func TestMain(m *testing.M) {
	code := m.Run()
	stop()
	os.Exit(code)
}

func startChromium() (context.Context, error) {
	program, err := exec.LookPath("chromium")
	if err != nil {
		return nil, err
	}
	flags := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true))
	allocator, stopAllocator := chromedp.NewExecAllocator(context.Background(), flags...)
	browser, stopBrowser := chromedp.NewContext(allocator)
	stop = func() { stopBrowser(); stopAllocator() }
	return browser, chromedp.Do(browser)
}

// A step is something that is done in a tab.
type step = chromedp.Action[chromedp.Void]

// command is the step that sends a command of the protocol.
func command[P, R any](c cdp.Command[P, R], parameters P) step {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, c, parameters)
		return err
	})
}

// A tab is a page in the browser. Its test fails if the page throws an error, shows a dialog,
// breaks its Content-Security-Policy, or sends a request to another server.
type tab struct {
	testing.TB
	ctx     context.Context
	url     string
	mayFail bool // files of the page may be missing
}

// open opens the page in a tab with a width in pixels; a part of the tests, see portion.Skip.
func open(t testing.TB, address string, width int64, emulated ...step) *tab {
	t.Helper()
	portion.Skip(t, 4)
	browser, err := chromium()
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("these tests need Chromium: %v", err)
		}
		t.Skipf(`these tests need Chromium; "make deps" installs it: %v`, err)
	}
	ctx, closeTab := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	t.Cleanup(closeTab)
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	t.Cleanup(cancel)
	p := &tab{TB: t, ctx: ctx, url: address}
	p.do() // the tab opens
	if err := chromedp.Listen(ctx, p.watch); err != nil {
		t.Fatal(err)
	}
	p.do(command(network.Enable, network.EnableParams{}), command(log.Enable, cdp.Empty{}), chromedp.EmulateViewport(width, 900))
	p.do(emulated...)
	p.do(chromedp.Navigate(address))
	p.await(`document.querySelector("#grid .cell .verdict") !== null`)
	return p
}

// watch reports what no page should do.
func (p *tab) watch(event any) {
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		p.Errorf("the page has an error: %s %s", e.ExceptionDetails.Text, e.ExceptionDetails.URL)
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError && !p.mayFail || e.Entry.Source == log.EntrySourceSecurity {
			p.Errorf("the browser reports: %s %s", e.Entry.Text, e.Entry.URL)
		}
	case *page.EventJavascriptDialogOpening:
		p.Errorf("the page shows a dialog: %s", e.Message)
	case *network.EventRequestWillBeSent:
		if to := strings.TrimPrefix(e.Request.URL, "blob:"); !strings.HasPrefix(to, "data:") && !strings.HasPrefix(to, root(p.url)) {
			p.Errorf("a request to %s", to)
		}
	}
}

// root returns the first part of an address, without path and fragment.
func root(address string) string {
	u, _ := url.Parse(address)
	return u.Scheme + "://" + u.Host + "/"
}

func (p *tab) do(steps ...step) {
	p.Helper()
	if err := chromedp.Do(p.ctx, steps...); err != nil {
		p.Fatal(err)
	}
}

// value returns the value of a JavaScript expression.
func value[T any](p *tab, expression string) T {
	p.Helper()
	v, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		p.Fatalf("%s: %v", expression, err)
	}
	return v
}

// script runs a script.
func (p *tab) script(text string) {
	p.Helper()
	value[bool](p, "(() => { "+text+"; return true; })()")
}

// await waits until an expression is true. One that fails, such as of an element that is not there yet, is not.
func (p *tab) await(expression string) {
	p.Helper()
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		is, err := chromedp.Run(p.ctx, chromedp.Evaluate[bool](expression))
		if is && err == nil {
			return
		}
		if time.Now().After(end) || p.ctx.Err() != nil {
			p.Fatalf("this did not become true: %s (%v)\nThe page shows:\n%s", expression, err, value[string](p, "document.body.innerText"))
		}
	}
}

// awaitStill waits until an element is at the same place three times.
func (p *tab) awaitStill(selector string) {
	p.Helper()
	place := `(() => { const r = document.querySelector(` + quoted(selector) + `)?.getBoundingClientRect(); return r ? r.x + " " + r.y : ""; })()`
	last, same := "", 0
	for end := time.Now().Add(20 * time.Second); same < 3; time.Sleep(20 * time.Millisecond) {
		now := value[string](p, place)
		if now != last || now == "" {
			same = 0
		}
		last, same = now, same+1
		if time.Now().After(end) {
			p.Fatalf("%s is not there, or moves", selector)
		}
	}
}

// click clicks an element, with the mouse, which clicks at a place: so the element must not move. The page
// may replace the element at that moment.
func (p *tab) click(selector string) {
	p.Helper()
	p.awaitStill(selector)
	for end := time.Now().Add(5 * time.Second); ; {
		err := chromedp.Do(p.ctx, chromedp.Click(chromedp.CSS(selector)))
		if err == nil {
			return
		}
		if !strings.Contains(err.Error(), "Could not find node") || time.Now().After(end) {
			p.Fatalf("%s: %v", selector, err)
		}
	}
}

// press presses a key. modifiers may be 0.
func (p *tab) press(key string, modifiers chromedp.Modifier) {
	p.Helper()
	p.do(chromedp.KeyEvent(key, chromedp.KeyModifiers(modifiers)))
}

// paste replaces all text of the element that has the focus.
func (p *tab) paste(text string) {
	p.Helper()
	p.press("a", chromedp.ModifierCtrl)
	p.do(command(input.InsertText, input.InsertTextParams{Text: text}))
}

// fill replaces the text of a field, or of the editor, which is in a shadow root.
func (p *tab) fill(selector, text string) {
	p.Helper()
	element := `document.querySelector(` + quoted(selector) + `)`
	p.script(`const e = ` + element + `; (e.shadowRoot?.querySelector(".cm-content") ?? e).focus()`)
	p.paste(text)
}

// ask fills the page with a file, crawlers and URLs.
func (p *tab) ask(robots string, urls ...string) {
	p.Helper()
	p.fill("#editor", robots)
	p.fill("#urls", strings.Join(urls, "\n"))
}

func cellText(row, column int) string {
	return fmt.Sprintf(`(() => { const c = document.querySelector('#grid [data-row="%d"][data-column="%d"]'); return c ? c.querySelector(".verdict").textContent + ", " + c.querySelector(".because").textContent : ""; })()`, row, column)
}

// awaitCell waits until a cell says something.
func (p *tab) awaitCell(row, column int, want string) {
	p.Helper()
	p.await(cellText(row, column) + " === " + quoted(want))
}

// quoted returns a string of JavaScript.
func quoted(text string) string {
	b, _ := json.Marshal(text) // never fails
	return string(b)
}

// daemon starts "heed serve" without its command line.
func daemon(t testing.TB) (url string) {
	url, _ = daemonAndCaches(t)
	return url
}

func daemonAndCaches(t testing.TB) (url string, caches *server.Caches) {
	fetcher, store := &fetch.Fetcher{AllowPrivate: true}, cache.NewMemory(0, 0)
	s := &server.Server{
		Gate: gate.Gate{Loopback: true}, Version: "v0.0.0-test",
		Caches: server.NewCaches(func(d *robotstxt.Dialect) *cache.Cache {
			return &cache.Cache{Fetcher: fetcher, Store: store, Dialect: d}
		}),
		Watched: &server.Watched{EventsOf: func(_ context.Context, o origin.Origin) ([]*watch.Message, error) {
			h := watch.Head{ID: "x", Time: time.Unix(0, 0), Site: o, What: []watch.What{watch.Unreachable}, Severity: watch.High, Text: "The site is <b>unreachable</b>"}
			return []*watch.Message{{Head: h, JSON: report.AppendJSON(nil, &watch.Event{Head: h})}}, nil
		}},
	}
	t.Cleanup(func() { s.Caches.Close() })
	started := httptest.NewUnstartedServer(nil)
	started.Config = s.HTTP()
	started.Start()
	t.Cleanup(started.Close)
	return started.URL + "/", s.Caches
}

// static is a folder with the page that needs no server.
var static = sync.OnceValues(func() (string, error) {
	folder, err := os.MkdirTemp("", "heed-page")
	if err != nil {
		return "", err
	}
	before := stop
	stop = func() { before(); os.RemoveAll(folder) }
	c := exec.Command("go", "run", "./cmd/heed/internal/page/static", folder)
	c.Dir = "../../../.."
	out, err := c.CombinedOutput()
	fmt.Printf("%s", out)
	return folder, err
})

// files starts a server of files with the page that needs no other.
func files(t testing.TB) (url string) {
	folder, err := static()
	if err != nil {
		t.Fatal(err)
	}
	started := httptest.NewServer(http.StripPrefix("/some/where", http.FileServer(http.Dir(folder))))
	t.Cleanup(started.Close)
	return started.URL + "/some/where/"
}

// either is both for what does not depend on where the answers come from: without HEED_WHOLE it takes only
// the page of the daemon, since each page takes seconds.
func either(t *testing.T, test func(t *testing.T, url string)) {
	if portion.Whole() {
		both(t, test)
		return
	}
	t.Parallel()
	test(t, daemon(t))
}

// both runs a test with the page of the daemon, and with that which needs none; without HEED_WHOLE with one of
// them.
func both(t *testing.T, test func(t *testing.T, url string)) {
	t.Parallel()
	pages := map[string]func(testing.TB) string{"daemon": daemon, "static": files}
	for _, name := range portion.One("daemon", "static") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, pages[name](t))
		})
	}
}
