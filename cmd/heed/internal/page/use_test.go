package page_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/heed-robots/heed/internal/testing/portion"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

const wide, phone = 1280, 360

const shop = "User-agent: *\nDisallow: /cart\nAllow: /cart/help\n\nUser-agent: GPTBot\nDisallow: /\n"

// Paste a file, name URLs: the grid has the verdicts, the line that decides is marked, and the
// explanation has the candidates.
func TestPasteAndExplain(t *testing.T) {
	both(t, func(t *testing.T, url string) {
		p := open(t, url, wide)
		p.ask(shop, "/cart/help", "https://example.com/cart")
		p.awaitCell(0, 0, "✓allowed, line 3")
		p.awaitCell(1, 0, "✗disallowed, line 2")
		p.awaitCell(1, 2, "✗disallowed, line 6") // GPTBot is the third of the example
		p.click(`#grid [data-row="0"][data-column="0"]`)
		p.await(`document.querySelector("#why-verdict")?.textContent === "✓allowed"`)
		p.await(`document.querySelectorAll("#why .candidate").length === 2`)
		p.await(`document.querySelector("#why").innerText.includes("2 rules match")`)
		p.await(`document.querySelector("#editor").shadowRoot.querySelector(".cm-decides")?.textContent === "Allow: /cart/help"`)
		p.click(`#grid [data-row="1"][data-column="2"]`)
		p.await(`document.querySelector("#editor").shadowRoot.querySelector(".cm-decides")?.textContent === "Disallow: /"`)
		// The cell says nothing else.
		p.await(`document.querySelector('#grid [data-row="0"][data-column="0"]').textContent === "Googlebot✓allowedline 3"`)
		p.ask("User-agent: *\nDisallow: /a*b\n", "/"+strings.Repeat("long", 100), "/ab") // the * matches nothing
		p.await(`document.querySelector("#why .drawing code")?.innerText.replace("\u200b", "") === "/ab"`)
		// A crawler may follow the group of another one, or no group for "*".
		p.add("YandexMobileBot")
		p.ask("User-agent: *\nDisallow: /a\n\nUser-agent: msnbot\nDisallow: /\n", "/a")
		p.awaitCell(0, 1, "✗disallowed, line 5")
		p.click(`#grid [data-row="0"][data-column="1"]`)
		p.await(`document.querySelector("#why .headline").innerText.includes("No group names bingbot, so it follows the group of msnbot.")`)
		p.await(`document.querySelectorAll("#grid .column")[1].title === "If there is no group for bingbot, it follows the group of msnbot."`)
		p.awaitCell(0, 3, `✓allowed, does not follow "*"`)
		p.await(`[document.querySelectorAll("#grid .column")[3], document.querySelector("#chips .chip:last-child > span")].every((e) => e.title === 'YandexMobileBot does not follow the groups for "*".')`)
		p.click(`#grid [data-row="0"][data-column="0"]`)
		p.await(`document.querySelector("#why-verdict").textContent === "✗disallowed" && !document.querySelector("#why").innerText.includes("No group names")`)
	})
}

// A finding of lint has a fix that is one key away. The same key once more applies no other fix, and Undo takes the fix back.
func TestFix(t *testing.T) {
	both(t, func(t *testing.T, url string) {
		p := open(t, url, wide)
		p.ask("User-agent: *\nDisallow: /buy\nDisalow: /cart\n\nUser-agent: bingbot\nDisallow: /search\n", "/cart")
		const text = `document.querySelector("#editor").shadowRoot.querySelector(".cm-content").innerText`
		p.await(`document.querySelector('#finding-list [data-line="3"] .fix') !== null`)
		p.script(`document.querySelector('#findings').open = true; document.querySelector('#finding-list [data-line="3"] .fix').focus()`)
		p.press(kb.Enter, 0)
		p.await(text + `.includes("Disallow: /cart")`)
		p.awaitCell(0, 0, "✗disallowed, line 3")
		p.await(`document.querySelector('#finding-list [data-line="3"]') === null && document.querySelector("#finding-list .fix") !== null`)
		p.await(`document.activeElement.tagName === "SUMMARY"`)
		p.press(kb.Enter, 0)
		p.press("z", chromedp.ModifierCtrl)
		p.await(text + `.includes("Disalow: /cart") && document.querySelector("#urls").value === "/cart"`)
		// All safe fixes, also if one inserts a line where another one begins.
		p.fill("#editor", "Dissallow   private\nUser-agent: GPTBot\nDisalow: /\nDisallow: /\n")
		p.await(`document.querySelector("#fix-all").textContent === "Apply 5 safe fixes"`)
		p.script(`document.querySelector("#findings").open = true; document.querySelector("#fix-all").click()`)
		p.await(text + `.startsWith("User-agent: *\nDisallow:   private\n") && document.querySelector("#fix-all").hidden`)
	})
}

// The URLs are read as the lists of the command are.
func TestURLsAsWritten(t *testing.T) {
	t.Parallel()
	p := open(t, daemon(t), wide)
	p.ask(shop, "# note", "  /cart  ", "example.com/cart # another", "foo bar")
	p.awaitCell(0, 0, "✗disallowed, line 2")
	p.awaitCell(1, 0, "✗disallowed, line 2")
	p.await(`document.querySelectorAll("#grid .row").length === 4`)
	p.await(`[...document.querySelectorAll("#grid .row > .url")].map((e) => e.title).join(" ") === "/cart https://example.com/cart foo bar"`)
	p.click(`#grid [data-row="1"][data-column="0"]`)
	p.await(`document.querySelector("#why .url").textContent === "https://example.com/cart"`)
	p.fill("#urls", "# note")
	p.await(`document.querySelector("#grid-error").textContent === "Name a URL to see verdicts."`)
}

// Two files: what changes, for whom, with a URL that shows it.
func TestCompare(t *testing.T) {
	both(t, func(t *testing.T, url string) {
		p := open(t, url, wide)
		p.ask(shop, "/")
		p.click("#tab-compare")
		p.fill("#compare .editor", strings.Replace(shop, "Disallow: /\n", "Disallow: /private\n", 1))
		p.await(`document.querySelector("#compare-result").innerText.includes("GPTBot")`)
		p.await(`document.querySelector("#compare-result .witnesses") !== null`)
		p.await(`document.querySelector("#change-result").textContent === "GPTBot may fetch nothing any more."`)
		p.await(`document.querySelector("#compare-dialect").textContent === "Read as RFC 9309, the dialect chosen in “Test”. Lines such as Crawl-delay and Sitemap are not compared."`)
		p.await(`document.querySelector("#editor").shadowRoot.querySelector(".cm-added")?.textContent === "Disallow: /"`)
		p.await(`document.querySelector("#compare .editor").shadowRoot.querySelector(".cm-removed")?.textContent === "Disallow: /private"`)
		p.fill("#compare .editor", shop)
		p.fill("#editor", strings.Replace(shop, "Disallow: /\n", "Disallow: /private\n", 1))
		p.await(`document.querySelector("#change-result")?.textContent === "Verdicts change for GPTBot: no longer disallowed everywhere."`)
		p.await(`document.querySelector("#compare-result .purposes")?.innerText.includes("no longer disallowed everywhere")`)
		p.fill("#editor", shop)
		p.await(`document.querySelector("#change-result")?.textContent.startsWith("No verdict changes")`)
		p.fill("#compare .editor", "User-agent: *\nDisallow: /a\n")
		p.await(`document.querySelector("#change-result").textContent === "Verdicts change for GPTBot and crawlers that neither file names."`)
		p.fill("#editor", shop)
		p.fill("#compare .editor", shop+"\nUser-agent: A\nUser-agent: B\nUser-agent: C\nUser-agent: D\nUser-agent: OtherBot\nDisallow: /o\n")
		p.await(`document.querySelector("#change-result").textContent === "Verdicts change for A, B, C, D and OtherBot: some URLs become disallowed, others allowed."`)
		p.await(`document.querySelector("#compare-result").innerText.includes('There is no group for them any more, so the group for "*" applies now.')`)
		p.await(`document.querySelector("#compare-unchanged").textContent === "Verdicts proved unchangedAll crawlers without a group, GPTBot, @AdsBot-Google"`)
		// Also the known crawlers to which the same groups apply are named, and a long name is not wider than the page.
		p.fill("#compare .editor", shop+"\nUser-agent: "+strings.Repeat("LongName", 20)+"\nUser-agent: Googlebot\nDisallow: /o\n")
		p.await(`document.querySelector("#change-result").textContent.includes("Googlebot, Applebot, ")`)
		p.await(`document.querySelector("#compare-result").innerText.includes("The same groups apply to Applebot, ")`)
		if width := value[int](p, `document.documentElement.scrollWidth`); width > wide {
			t.Errorf("the page is %d pixels wide", width)
		}
		p.fill("#compare .editor", "User-agent: *\nAllow: /*a*b*c\n")
		p.fill("#editor", "User-agent: *\nDisallow: /*a*b*c\nDisallow: /*b*a\n")
		p.await(`document.querySelector("#compare-result").innerText.includes("One URL is shown for each changed rule. More URLs may change.")`)
		// As in "heed diff", the most serious change comes first.
		p.fill("#compare .editor", "User-agent: A\nDisallow: /a\n\nUser-agent: B\nDisallow: /b\n")
		p.fill("#editor", "User-agent: A\nDisallow:\n\nUser-agent: B\nDisallow: /\n")
		p.await(`[...document.querySelectorAll("#compare-result .compared strong")].map((e) => e.textContent).join() === "B,A"`)
		p.fill("#compare .editor", "<!doctype html><title>Sign in</title>\n")
		p.await(`document.querySelector("#compare-result").innerText.includes("The old file is an HTML page: only the lines in it that look like lines of a robots.txt are read.")`)
	})
}

// Which of my URLs flip: of a list in the field, of a long file, of a sitemap; and changed preferences.
func TestFlips(t *testing.T) {
	both(t, func(t *testing.T, url string) {
		p := open(t, url, phone)
		p.ask(shop, "/")
		p.await(`document.querySelector("#to-verdicts").offsetParent !== null`)
		p.click("#tab-compare")
		p.await(`document.querySelector("#to-verdicts").offsetParent === null`) // the verdicts are in another part
		p.fill("#compare .editor", strings.Replace(strings.Replace(shop, "\n", "\nContent-Usage: train-ai=n\n", 1), "Disallow: /\n", "Disallow: /private\n", 1))
		p.await(`document.querySelector("#compare-preferences")?.textContent.includes("train-ai") === true`)
		p.fill("#flips-list", "/private/a\nhttps://shop.example/<b>x\n\n# nothing\nno url\n")
		p.await(`document.querySelector("#flips-headline")?.textContent === "The verdict of 1 of 2 URLs changes."`)
		text := value[string](p, `document.querySelector("#flips-result").innerText`)
		for _, want := range []string{"1 line without a URL or a path: line 5 (“no url”).", "GPTBot: 1 disallowed now\n\nhttps", "https://shop.example/<b>x", "no rule matches → line 6, Disallow: /"} {
			if !strings.Contains(text, want) {
				t.Errorf("%q is not in:\n%s", want, text)
			}
		}
		if value[int](p, "document.documentElement.scrollWidth") > phone {
			t.Error("the page scrolls sideways")
		}
		p.fill("#flips-list", "https://a.example/x\n/y\n https://b.example/\nhttps://b.example/z\n")
		p.await(`document.querySelector("#flips-result .headline").innerText.includes("https://a.example and https://b.example are different sites, but a robots.txt applies to only one site.")`)
		p.fill("#flips-list", "no url\n")
		p.await(`document.querySelector("#flips-headline")?.textContent === "No URL was compared."`)
		// A long file, dropped: the page answers meanwhile.
		p.script(`window.longest = 0; let last = performance.now(); const tick = () => { const now = performance.now(); window.longest = Math.max(window.longest, now - last); last = now; setTimeout(tick, 10); }; tick();
			const lines = Array.from({length: 100000}, (_, i) => "https://shop.example/" + (i % 2 ? "products/" : "brands/") + i % 97 + "/item-" + i + "?some=query&page=" + i);
			const data = new DataTransfer(); data.items.add(new File([lines.join("\n")], "long.txt"));
			document.querySelector("#flips").dispatchEvent(new DragEvent("drop", {dataTransfer: data, bubbles: true, cancelable: true}));`)
		p.await(`document.querySelector("#flips-headline")?.textContent === "The verdict of 100,000 of 100,000 URLs changes."`)
		if longest := value[float64](p, "window.longest"); longest > 1000 {
			t.Errorf("the page did nothing for %.0f ms", longest)
		}
		p.await(`document.querySelector("#flips .directories").textContent.includes("under /products/: 50,000 disallowed now")`)
		// A sitemap index has no pages.
		const index = `new File(["<sitemapindex><sitemap><loc>https://shop.example/1.xml</loc></sitemap><sitemap><loc>https://shop.example/2.xml</loc></sitemap></sitemapindex>"], "index.xml")`
		const indexNote = "index.xml is a sitemap index: it names 2 sitemaps, and no pages. The pages of these sitemaps are compared only if you open them all at once."
		drop := `document.querySelector("#flips").dispatchEvent(new DragEvent("drop", {dataTransfer: data, bubbles: true, cancelable: true}));`
		p.script(`const data = new DataTransfer(); data.items.add(` + index + `); ` + drop)
		p.await(`document.querySelector("#flips-result").textContent === ` + quoted(indexNote))
		p.script(`const data = new DataTransfer(), page = (n) => new File(["<urlset><url><loc>https://shop.example/" + n + "</loc></url></urlset>"], n + ".xml");
			data.items.add(` + index + `); data.items.add(page(1)); data.items.add(page(2)); ` + drop)
		p.await(`document.querySelector("#flips-result .headline")?.textContent === "The verdict of 2 of 2 URLs changes.` + indexNote + `"`)
		p.await(`document.querySelector("#flips-list").value === "https://shop.example/1\nhttps://shop.example/2"`)
		p.script(`const data = new DataTransfer(); data.items.add(new File(["<?xml version='1.0'?><urlset><url><loc> https://shop.example/a?b=1&amp;c </loc></url></urlset>"], "sitemap.xml"));
			document.querySelector("#flips").dispatchEvent(new DragEvent("drop", {dataTransfer: data, bubbles: true, cancelable: true}));`)
		p.await(`document.querySelector("#flips-list").value === "https://shop.example/a?b=1&c"`)
		p.await(`document.querySelector("#flips-headline")?.textContent === "The verdict of 1 of 1 URL changes."`)
		p.click("#flips .witnesses button") // it asks about the URL
		p.await(`document.querySelector("#tab-ask").getAttribute("aria-selected") === "true" && document.querySelector("#urls").value.includes("/a?b=1&c")`)
	})
}

// Coverage: the rules that decide nothing of what is asked are dim.
func TestCoverage(t *testing.T) {
	both(t, func(t *testing.T, url string) {
		p := open(t, url, wide)
		p.ask(shop, "/cart")
		p.awaitCell(0, 0, "✗disallowed, line 2")
		p.click("#coverage")
		p.await(`document.querySelector("#editor").shadowRoot.querySelector(".cm-unreached")?.textContent === "Allow: /cart/help"`)
		p.await(`document.querySelector("#coverage-note").textContent.startsWith("2 of 3 rules decide")`)
	})
}

// A live site: its robots.txt in the editor, a draft compared with it, and the versions that the
// daemon saw, each of which can be compared with the editor.
func TestSite(t *testing.T) {
	var body atomic.Value
	body.Store(shop)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, body.Load().(string)) }))
	t.Cleanup(site.Close)
	url, caches := daemonAndCaches(t)
	p := open(t, url, wide)
	p.click("#site-place button")
	p.await(`document.activeElement === document.querySelector("#site-place input:invalid")`)
	p.fill("#site-place input", site.URL)
	p.press(kb.Enter, 0)
	p.await(`document.querySelector("#site-note").textContent.includes("fetched just now")`)
	const text = `document.querySelector("#editor").shadowRoot.querySelector(".cm-content").innerText`
	p.click("#bring-back")
	p.await(text + `.startsWith("# An example.") && document.querySelector("#site-note").hidden && document.querySelector("#site-place input").value === ""`)
	p.fill("#site-place input", site.URL)
	p.press(kb.Enter, 0)
	p.await(text + `.startsWith("User-agent: ")`)
	p.script(`document.querySelector("#editor").shadowRoot.querySelector(".cm-content").focus()`)
	p.press("z", chromedp.ModifierCtrl)
	p.await(text + `.startsWith("# An example.") && document.querySelector("#site-note").hidden`)
	p.fill("#site-place input", site.URL)
	p.press(kb.Enter, 0)
	p.await(`document.querySelector("#site-note").textContent.includes("fetched just now")`)
	p.fill("#urls", "/cart")
	p.awaitCell(0, 0, "✗disallowed, line 2")

	p.fill("#editor", shop+"Disallow: /private\nUser-agent: CCBot\nDisallow: /\n")
	p.click("#tab-compare")
	p.click(`#compare input[value="site"]`)
	p.click("#compare form button")
	p.await(`document.querySelector("#compare-result").innerText.includes("CCBot")`)

	body.Store("User-agent: *\nDisallow: /other\n")
	o, err := origin.Parse(site.URL)
	if err != nil {
		t.Fatal(err)
	}
	if err := caches.In(robotstxt.RFC9309).Refresh(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	p.click("#tab-history") // the history is there at once, as the site was asked for before
	p.await(`document.querySelector("#history #events").innerText.includes("high") && document.querySelector("#history #events").innerText.includes("The site is <b>unreachable</b>")`)
	p.await(`document.querySelectorAll("#history #versions li").length === 2`)
	p.await(`document.querySelector("#editor").shadowRoot.querySelector(".cm-decides") === null`) // no verdict is shown here
	p.await(`document.querySelector("#history #versions li").innerText.includes("1 line added, 5 removed")`)
	p.click("#history #versions li:nth-child(1) button:nth-child(2)")
	p.await(`document.querySelector("#editor").shadowRoot.querySelector(".cm-content").innerText.includes("/other")`)
	p.await(`document.querySelector("#history #versions li:nth-child(1)").innerText.includes("in the editor")`)
	p.await(`document.querySelector("#history #versions li:nth-child(1)").innerText.includes("Compare") === false`)
	p.await(`document.querySelector("#history #versions li:nth-child(2)").innerText.includes("seen once")`)
	p.fill("#editor", shop+"User-agent: CCBot\nDisallow: /\n")
	p.await(`document.querySelector("#history #versions li:nth-child(1)").innerText.includes("Compare")`)
	p.click("#history #versions li:nth-child(2) button")
	p.await(`!document.querySelector("#compare").hidden && document.querySelector("#compare-result").innerText.includes("CCBot")`)
	p.await(`document.querySelector("#compare .editor").shadowRoot.querySelector(".cm-content").innerText.includes("/cart/help")`)
}

// A site without rules: the page says what that means in the dialect, and never shows a text as that
// of a site which gave none.
func TestSiteWithoutRules(t *testing.T) {
	site := func(status int) (url string) {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
		t.Cleanup(s.Close)
		return s.URL
	}
	p := open(t, daemon(t), wide)
	p.ask(shop, "/cart")
	p.awaitCell(0, 0, "✗disallowed, line 2")
	p.fill("#site-place input", site(http.StatusForbidden))
	p.press(kb.Enter, 0)
	const note = `document.querySelector("#site-note").textContent`
	p.await(note + `.includes("(status 403): in RFC 9309, everything is then allowed.")`)
	p.awaitCell(0, 0, "✓allowed, no group applies")
	p.script(`const e = document.querySelector("#dialect"); e.value = "draft1996"; e.dispatchEvent(new Event("change"))`)
	p.await(note + `.includes("(status 403): in the 1996 draft, everything is then disallowed. The text below, and its verdicts, are not those of this site.")`)

	p.ask(shop, "/cart/help")
	p.awaitCell(0, 0, "✗disallowed, line 2") // the first rule, in 1996
	p.fill("#site-place input", site(http.StatusServiceUnavailable))
	p.press(kb.Enter, 0)
	p.await(note + `.includes("Everything is disallowed. The text below, and its verdicts, are not those of this site.")`)
	p.awaitCell(0, 0, "✗disallowed, line 2")
}

// The page says that a host without a scheme was read as https, because a site may have only http.
func TestSiteWithoutScheme(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, shop) }))
	t.Cleanup(site.Close)
	host := strings.TrimPrefix(site.URL, "http://")
	p := open(t, daemon(t), wide)
	p.fill("#site-place input", host)
	p.press(kb.Enter, 0)
	const note = `document.querySelector("#site-note").textContent`
	p.await(note + `.includes(` + quoted(host+" has no scheme, so it was read as https://"+host+". For a site without https, write http://"+host+".") + `)`)
	p.fill("#site-place input", site.URL)
	p.press(kb.Enter, 0)
	p.await(note + `.includes("fetched just now") && !` + note + `.includes("scheme")`)
}

// The page says that URLs belong to another site than the robots.txt, or to several sites.
func TestOtherSites(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, shop) }))
	t.Cleanup(site.Close)
	p := open(t, daemon(t), wide)
	const note = `document.querySelector("#grid-error")`
	apply := func(a, b string) string {
		return note + `.textContent === ` + quoted(a+" and "+b+" are different sites, but a robots.txt applies to only one site.")
	}
	p.ask(shop, "/cart", "https://a.example/cart", "https://A.example:443/", "https://b.example/cart")
	p.await(apply("https://a.example", "https://b.example"))
	p.fill("#urls", "https://bücher.example/\nhttps://xn--bcher-kva.example/\nftp://a.example/\nhttps://c.example/")
	p.await(apply("https://bücher.example, ftp://a.example", "https://c.example"))
	p.fill("#urls", "/cart\nhttps://other.example/cart")
	p.awaitCell(1, 0, "✗disallowed, line 2")
	p.await(note + ".hidden")
	p.fill("#site-place input", site.URL)
	p.press(kb.Enter, 0)
	p.await(apply(site.URL, "https://other.example"))
	p.fill("#urls", site.URL+"/cart")
	p.await(note + ".hidden")
	p.fill("#urls", "https://other.example/cart")
	p.await(apply(site.URL, "https://other.example"))
	p.fill("#editor", shop+"# another file\n")
	p.await(note + ".hidden")
}

// The page asks which crawler is meant by a misspelt name, and names the set that is meant.
func TestMisspeltCrawlers(t *testing.T) {
	both(t, func(t *testing.T, url string) {
		p := open(t, url, wide)
		p.ask(shop, "/cart")
		p.fill("#add-crawler", "Gogglebot")
		p.press(kb.Enter, 0)
		const note = `document.querySelector("#chips .remarks")`
		p.await(note + `.textContent === "No known crawler is called “Gogglebot”. Did you mean Googlebot?" && ` + note + `.querySelector(".error") === null`)
		p.fill("#add-crawler", "@serach")
		p.press(kb.Enter, 0)
		p.await(note + `.textContent.includes("No known crawler is called “@serach”. Did you mean @search?")`)
		p.await(note + `.querySelector(".error").textContent.includes("@serach") && document.querySelector("#chips .chip.wrong").textContent.startsWith("@serach")`)
		p.click(`#grid [data-row="0"][data-column="4"]`)
		p.await(`document.querySelector("#why-body .error")?.textContent.includes("no known crawler has this name; did you mean @search?")`)
		p.await(`[...document.querySelectorAll("#grid .undecided .because")].every((e) => e.scrollWidth <= e.clientWidth)`)
		p.click("#chips .remarks .error button")
		p.await(`document.querySelector("#chips .chip:last-child").textContent.startsWith("Search: ")`)
		p.await(note + `.textContent === "No known crawler is called “Gogglebot”. Did you mean Googlebot?"`)
		p.click("#chips .remarks button")
		p.await(note + `.textContent === ""`)
		p.add("@nosuchset")
		p.await(note + `.textContent.startsWith("Agent \"@nosuchset\": no known crawler has this name; expected ")`)
	})
}

// The page says if a name cannot be that of a crawler, or is read as another name.
func TestNameWithSpace(t *testing.T) {
	either(t, func(t *testing.T, url string) {
		p := open(t, url, wide)
		p.ask(shop, "/cart")
		for _, name := range []string{"my bot 4!", "xyzzyq!4", "AdsBot-Google", "bot42", "GPTBot/1.0", "Mozilla/5.0 (compatible; Googlebot/2.1)", "Google-Extended"} {
			p.add(name)
		}
		const note = `document.querySelector("#chips .remarks")`
		p.await(note + `.textContent.startsWith("“my bot 4!” is read as my, up to the first character that is not a letter, “_” or “-”.")`)
		p.await(note + `.textContent.includes("Agent \"xyzzyq!4\": a product token cannot contain \"!\", ")`)
		p.await(note + `.textContent.includes("“bot42” is read as bot, up to the first character that is not a letter, “_” or “-”.")`)
		p.await(note + `.textContent.includes("“GPTBot/1.0” is read as GPTBot, ") && !` + note + `.textContent.includes("Did you mean GPTBot")`)
		p.await(note + `.textContent.includes("“Mozilla/5.0 (compatible; Googlebot/2.1)” is read as Googlebot.")`)
		if text := value[string](p, note+".textContent"); strings.Contains(text, "AdsBot") || strings.Contains(text, "!*") {
			t.Error(text)
		}
		p.await(`document.querySelector("#tally").textContent === "1 allowed, 8 disallowed, 1 error"`)
		p.await(chips + `.endsWith(", Google-Extended (purpose token)")`)
		p.click("#chips li:last-child button")
		p.click("#chips li:last-child button")
		p.click("#chips li:last-child button")
		p.click("#chips li:last-child button")
		p.click("#chips li:last-child button")
		p.click("#chips li:last-child button")
		p.click("#chips li:last-child button")
		p.await(note + `.textContent === ""`)
	})
}

// The link of one build opens the same state in the other.
func TestLinkReproducesTheState(t *testing.T) {
	portion.Skip(t, 4)
	at := map[string]string{"daemon": daemon(t), "static": files(t)}
	for from, to := range map[string]string{"daemon": "static", "static": "daemon"} {
		t.Run(from, func(t *testing.T) {
			p := open(t, at[from], wide)
			p.ask("# ü 日本\nUser-agent: *\nDisallow: /x\n", "/x?ü", "/b")
			p.awaitCell(0, 0, "✗disallowed, line 3")
			p.script(`const e = document.querySelector("#dialect"); e.value = "google"; e.dispatchEvent(new Event("change"))`)
			p.click("#copy-link")
			p.await(`location.hash.startsWith("#1.")`)
			q := open(t, at[to]+value[string](p, "location.hash"), wide)
			q.awaitCell(0, 0, "✗disallowed, line 3")
			q.awaitCell(1, 0, "✓allowed, no rule matches")
			const state = `JSON.stringify([document.querySelector("#editor").shadowRoot.querySelector(".cm-content").innerText, document.querySelector("#urls").value, document.querySelector("#dialect").value, document.querySelector("#chips").innerText])`
			if got, want := value[string](q, state), value[string](p, state); got != want {
				t.Errorf("the link shows %s, want %s", got, want)
			}
		})
	}
}

// A reload loses nothing; a link that was opened before the change does not come back.
func TestReload(t *testing.T) {
	both(t, func(t *testing.T, url string) {
		p := open(t, url+oldLink, wide)
		p.awaitCell(0, 0, "✗disallowed, line 2")
		p.ask(shop, "/cart/help")
		p.awaitCell(0, 0, "✓allowed, line 3")
		p.do(chromedp.Reload())
		p.awaitCell(0, 0, "✓allowed, line 3")
		if hash := value[string](p, "location.hash"); hash != "" {
			t.Errorf("the address has the link %s of another state", hash)
		}
	})
}

// This form of links is kept for ever: people have them.
const oldLink = "#1.JYzBCsIwEAV_pbyjrFjx1D2LfoGntoeYbEswdiEbW0H8d2m9DjPzwQw-ErLetRgYN5O8d6NMhatdN52juZR04ergXS7dBILFImCAsHkGbnFVHZPctaAnvHLa4JasIESXxBcw8uCbU92AMEdZwHD2AEFT-B81hUvWJxhF3gUEr7NkNwp4cMmEYLKuJIDbmur--wM"

func TestOldLink(t *testing.T) {
	portion.Skip(t, 4)
	either(t, func(t *testing.T, url string) {
		p := open(t, url+oldLink, wide)
		p.awaitCell(0, 0, "✗disallowed, line 2")
	})
}

// Only Google's parser finds a path in each text: the other dialects have no verdict for what is not a URL.
func TestNotURL(t *testing.T) {
	either(t, func(t *testing.T, url string) {
		p := open(t, url, wide)
		p.ask(shop, "http:/cart")
		p.awaitCell(0, 0, "? error, not a URL")
		p.script(`const d = document.querySelector("#dialect"); d.value = "google"; d.dispatchEvent(new Event("change", { bubbles: true }))`)
		p.awaitCell(0, 0, "✗disallowed, line 2")
		p.click("#grid .cell")
		p.await(`document.querySelector("#why .dialects h3")?.textContent === "4 dialects have no verdict"`)
		p.await(`document.querySelectorAll("#why .dialects li.differs")[0].innerText.replace(/\s+/g, " ").startsWith("RFC 9309 ? error not a URL In Google line 2 decides; in RFC 9309 the URL is neither an absolute URL nor a path")`)
	})
}

// A phone shows all without scrolling sideways.
func TestPhone(t *testing.T) {
	either(t, func(t *testing.T, url string) {
		p := open(t, url, phone)
		p.ask(shop+"# "+strings.Repeat("long ", 100)+"\n", "/"+strings.Repeat("long", 100), "/cart")
		p.await(cellText(1, 0) + ` === "✗disallowed, line 2"`)
		for _, view := range []string{"compare", "write", "ask"} {
			p.click("#tab-" + view)
			if view == "write" {
				p.openAll()
			}
			if width := value[int](p, "document.documentElement.scrollWidth"); width > phone {
				t.Errorf("%s is %d pixels wide", view, width)
			}
		}
		p.click("#to-verdicts")
		p.await(inView(`#grid [aria-selected="true"]`))
		if !value[bool](p, `(() => { const g = document.querySelector("#grid"); return g.scrollWidth <= g.clientWidth; })()`) {
			t.Error("the verdicts are wider than the page")
		}
		p.click(`#grid [data-row="1"][data-column="2"]`)
		p.await(inView("#why-verdict"))
		p.click("#to-cell")
		p.await(inView(`#grid [data-row="1"][data-column="2"]`))
	})
}

// inView returns an expression: whether nothing hides the middle of an element.
func inView(selector string) string {
	return `(() => {
		const e = document.querySelector(` + quoted(selector) + `), at = e?.getBoundingClientRect();
		return Boolean(at) && e.contains(document.elementFromPoint((at.left + at.right) / 2, (at.top + at.bottom) / 2));
	})()`
}

// With many crawlers and URLs, the words of a cell are for screen readers only, the explanation is
// in view, and the names of crawlers and URLs, which stay when the grid is scrolled, hide no
// selected cell.
func TestManyVerdicts(t *testing.T) {
	both(t, func(t *testing.T, url string) {
		p := open(t, url, wide)
		p.ask(shop, strings.Fields(strings.Repeat("/cart/help/long/"+strings.Repeat("long", 20)+" ", 20))...)
		for i := range 9 {
			p.fill("#add-crawler", fmt.Sprint("Bot", i))
			p.press(kb.Enter, 0)
		}
		p.await(`document.querySelectorAll("#grid .column").length === 2`) // the others have the answers of Googlebot
		p.click("#fold")
		p.awaitCell(19, 11, "✓allowed, line 3")
		if width := value[int](p, `document.querySelector("#grid .cell").offsetWidth`); width > 64 {
			t.Errorf("a cell is %d pixels wide", width)
		}
		for _, cell := range []string{"[data-row='1'][data-column='2']", "[data-row='3'][data-column='5']"} {
			p.click("#grid " + cell)
			p.await(inView("#why-verdict") + " && " + inView("#grid "+cell))
		}
		p.press(kb.End, 0)
		p.press(kb.PageDown, 0)
		p.await(inView("#grid [data-row='19'][data-column='11']"))
		for range 16 {
			p.press(kb.ArrowUp, 0)
			p.press(kb.ArrowLeft, 0)
			if selected := `#grid [aria-selected="true"]`; !value[bool](p, inView(selected)) {
				t.Fatalf("the selected cell is hidden: %s", value[string](p, `document.querySelector('`+selected+`').outerHTML`))
			}
		}
		p.fill("#urls", "")
		p.await(`document.querySelector("#why").hidden`) // instead of an empty panel
	})
}

// The dialog of the known crawlers leads to a purpose, and adds all of one.
func TestPicker(t *testing.T) {
	portion.Skip(t, 4)
	either(t, func(t *testing.T, url string) {
		p := open(t, url, wide)
		p.click("#browse")
		p.await(`document.querySelector("#picker [role=status]").textContent === "3 chosen"`)
		p.await(`[...document.querySelectorAll(".jumps button")].some((b) => b.textContent === "Archive")`)
		p.script(`[...document.querySelectorAll(".jumps button")].find((b) => b.textContent === "Archive").click()`)
		p.await(inView(`#picker section[aria-label="Archive"] h3`))
		p.click(`#picker section[aria-label="Archive"] .all`)
		p.await(`document.querySelectorAll('#picker section[aria-label="Archive"] input:not(:checked)').length === 0`)
		n := value[int](p, `document.querySelectorAll('#picker section[aria-label="Archive"] input').length`)
		p.await(fmt.Sprintf(`document.querySelector("#picker [role=status]").textContent === "%d chosen"`, 3+n))
		p.await(chips + fmt.Sprintf(` === "Googlebot, bingbot, GPTBot, Archive: %d crawlers"`, n))
		p.click(`#picker section[aria-label="Archive"] input`) // without one, the others have a chip each
		p.await(fmt.Sprintf(`document.querySelectorAll("#chips .chip").length === %d`, 3+n-1))
		p.click(`#picker section[aria-label="Archive"] .all`)
		p.await(chips + fmt.Sprintf(` === "Googlebot, bingbot, GPTBot, Archive: %d crawlers"`, n))
		p.click(`#picker section[aria-label="Archive"] .all`)
		p.await(chips + ` === "Googlebot, bingbot, GPTBot"`)

		// A crawler that no User-agent line can name can be chosen too. It has its name wherever it is shown.
		const box = `document.querySelector('#picker section[aria-label="Search"] [data-agent="360Spider"]')`
		p.await(box + `.parentElement.textContent.startsWith("360Spider360 Search: no User-agent line can name it")`)
		p.await(`document.querySelector('#picker section[aria-label="Search"] .all').textContent === "Add all " + document.querySelectorAll('#picker section[aria-label="Search"] input').length`)
		p.script(box + `.click()`)
		p.await(chips + ` === "Googlebot, bingbot, GPTBot, 360Spider (*)"`)
	})
}

// A person who wants dark pages gets one.
func TestDark(t *testing.T) {
	portion.Skip(t, 4)
	either(t, func(t *testing.T, url string) {
		luminance := func(scheme string) int {
			p := open(t, url, wide, command(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}))
			return value[int](p, `getComputedStyle(document.documentElement).backgroundColor.match(/\d+/g).slice(0, 3).reduce((a, b) => a + Number(b), 0)`)
		}
		if light, dark := luminance("light"), luminance("dark"); light < 600 || dark > 200 {
			t.Errorf("the background is %d in light and %d in dark, of 765", light, dark)
		}
		printed := open(t, url, 800)
		printed.ask("User-agent: *\nDisallow: /"+strings.Repeat("long/", 60)+"\nSitemap: https://a.example/sitemap.xml\n", "/"+strings.Repeat("long/", 60))
		printed.await(`document.querySelectorAll("#grid .row").length === 2`)
		printed.do(command(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print", Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}}))
		printed.script(`dispatchEvent(new Event("beforeprint"))`)
		printed.await(`getComputedStyle(document.documentElement).color === "rgb(26, 31, 41)" && document.querySelector("#findings").open`)
		printed.await(`document.querySelector("#editor").shadowRoot.querySelector(".cm-content").innerText.includes("sitemap.xml")`)
		printed.await(`document.querySelector("#dialect").offsetHeight > 0 && document.querySelector("#urls").offsetHeight === 0`) // the table has all URLs
		printed.await(`[document.querySelector("#editor").shadowRoot.querySelector(".cm-scroller"), document.querySelector("#grid .row > .url .start")].every((e) => e.scrollWidth <= Math.max(e.clientWidth, e.parentElement.clientWidth))`)
		printed.await(`parseFloat(getComputedStyle(document.querySelector("#chips .chip")).paddingRight) > 5`)
		printed.script(`document.querySelector("#editor").shadowRoot.querySelector(".cm-content").focus()`)
		printed.await(`document.activeElement.id === "editor" && getComputedStyle(document.activeElement, "::after").content === "none"`)
		printed.await(`getComputedStyle(document.querySelector("#editor").shadowRoot.querySelector(".cm-cursorLayer")).display === "none"`)
		printed.await(`getComputedStyle(document.querySelector("#editor").shadowRoot.querySelector(".cm-activeLine")).backgroundColor === "rgba(0, 0, 0, 0)"`)
		printed.await(`document.querySelector("#editor").offsetHeight >= document.querySelector("#editor").shadowRoot.querySelector(".cm-content").offsetHeight`)
	})
}

// Everything can be done with the keyboard alone: no element keeps the focus, and the grid moves
// with the arrow keys.
func TestKeyboard(t *testing.T) { either(t, testKeyboard) }

func testKeyboard(t *testing.T, url string) {
	p := open(t, url, wide)
	reached := map[string]bool{}
	toGrid := func() {
		t.Helper()
		for range 60 {
			p.press(kb.Tab, 0)
			reached[value[string](p, `(() => { const e = document.activeElement; return e.id || e.className || e.tagName; })()`)] = true
			if value[bool](p, `document.activeElement.classList.contains("cell")`) {
				return
			}
		}
		t.Errorf("Tab does not reach the grid, only %v", reached)
	}
	toGrid()
	for _, want := range []string{"skip", "copy-link", "editor", "add-crawler", "browse", "urls", "dialect", "tab-ask"} {
		if !reached[want] {
			t.Errorf("Tab does not reach %s, only %v", want, reached)
		}
	}
	p.ask(shop, "/", "/cart")
	p.awaitCell(1, 0, "✗disallowed, line 2")
	toGrid()
	for range 3 {
		p.press(kb.ArrowUp, 0)
		p.press(kb.ArrowLeft, 0)
	}
	p.press(kb.ArrowDown, 0)
	p.await(`document.activeElement.dataset.row === "1" && document.activeElement.dataset.column === "0"`)
	p.await(`document.querySelector("#why").innerText.includes("Disallow: /cart")`)
	if !value[bool](p, `(() => { const s = getComputedStyle(document.activeElement); return s.outlineStyle !== "none" && parseFloat(s.outlineWidth) > 0; })()`) {
		t.Error("the focus cannot be seen")
	}
	p.press(kb.Enter, 0)
	p.await(`document.activeElement.id === "editor"`) // at the line that decides
	p.press(kb.Tab, chromedp.ModifierShift)
	p.await(`document.activeElement.id !== "editor"`)
}

// chips returns an expression: the texts of the chips.
const chips = `[...document.querySelectorAll("#chips .chip > span")].map((e) => e.textContent).join(", ")`

// add adds a crawler, or a set.
func (p *tab) add(name string) {
	p.Helper()
	p.fill("#add-crawler", name)
	p.press(kb.Enter, 0)
}

// The page reads several names with commas as -a does. A User-Agent header is one name, with all its commas.
func TestSeveralNames(t *testing.T) {
	both(t, func(t *testing.T, url string) {
		p := open(t, url, wide)
		p.await(`document.querySelectorAll("#known option").length > 100`)
		p.ask(shop, "/cart")
		p.add("CCBot, googlebot,Bytespider, ccbot")
		p.await(chips + ` === "Googlebot, bingbot, GPTBot, CCBot, Bytespider"`)
		p.add("shopbot:GPTBot")
		p.await(`document.querySelector("#chips .chip:last-child > span").title === "If there is no group for shopbot, it follows the group of GPTBot."`)
		p.script(`[...document.querySelectorAll("#chips .chip button")].at(-1).click()`)
		const header = "Mozilla/5.0 (KHTML, like Gecko) Foo/1.0"
		p.add(header)
		p.await(`document.querySelector("#chips .remarks").textContent === ` + quoted("“"+header+"” is read as Foo."))
		p.await(`document.querySelectorAll("#chips .chip").length === 6`)
	})
}

// A set of crawlers is one chip. Crawlers with the same answers share a column, which can be unfolded.
func TestFolds(t *testing.T) {
	both(t, func(t *testing.T, url string) {
		p := open(t, url, wide)
		p.await(`document.querySelectorAll("#known option").length > 100`)
		p.ask(shop+"\nUser-agent: CCBot\nDisallow: /\n", "/", "/cart")
		p.add("@ai-training")
		p.await(chips + `.startsWith("Googlebot, bingbot, GPTBot, AI training: ")`)
		p.await(`document.querySelectorAll("#grid .column").length === 2`)
		const heads = `[...document.querySelectorAll("#grid .column")]`
		p.await(heads + `[0].textContent.startsWith("Googlebot, bingbot and ") && ` + heads + `[0].title.includes("AI2Bot (AI)")`)
		p.await(heads + `[1].textContent === "GPTBot, CCBot" && ` + heads + `[1].title === "GPTBot, CCBot"`)
		p.awaitCell(0, 2, "✗disallowed, line 6…")
		p.click(`#grid [data-row="1"][data-column="2"]`)
		p.await(`document.querySelector("#why").innerText.includes("GPTBot may not fetch")`)
		const others = `document.querySelector("#why-others")?.innerText.replace(/\s+/g, " ")`
		p.await(others + ` === "1 other crawler with this verdict CCBot: line 9"`) // the headline has the line of GPTBot
		p.press(kb.ArrowLeft, 0)
		p.await(`document.querySelector("#why").innerText.includes("Googlebot may not fetch")`)
		p.press(kb.ArrowRight, 0)
		p.click("#fold")
		p.await(heads + `.length > 20 && document.activeElement.id === "fold"`)
		p.await(heads + `.some((e) => e.textContent === "Applebot-Extended (purpose token)") && ` + heads + `.map((e) => e.firstChild).every((e) => e.scrollWidth <= e.clientWidth && e.scrollHeight <= e.clientHeight)`)
		p.await(`document.querySelector('#grid [aria-selected="true"]').dataset.column === "2"`)
		p.await(`document.querySelector("#why").innerText.includes("GPTBot may not fetch")`)
		p.do(command(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"})) // the table is not wider than the paper
		p.await(`document.documentElement.scrollWidth <= innerWidth && document.querySelector("#grid .table").scrollWidth <= document.querySelector("#grid").clientWidth`)
		p.do(command(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{}))
		p.click("#fold")
		p.await(heads + `.length === 2`)
		p.script(`[...document.querySelectorAll("#chips .chip button")].at(-1).click()`)
		p.await(chips + ` === "Googlebot, bingbot, GPTBot" && document.querySelector("#fold").offsetParent === null`)
		p.add("ChatGPT-User")
		p.add("ExampleBot")
		p.await(heads + `.length === 2`)
		p.click(`#grid [data-row="1"][data-column="0"]`)
		p.await(others + ` === "3 other crawlers with this verdict bingbot and ExampleBot: line 2 ChatGPT-User: line 2 Sources say that this crawler does not follow robots.txt, or not always."`)
		p.add("@known")
		p.await(`/^\d+ crawlers are too many at once, so no verdict is shown\. Choose at most 100: remove a set or some crawlers\.$/.test(document.querySelector("#grid-error").textContent)`)
		p.await(chips + `.includes(", Known: ")`)
	})
}

// A crawler has the name that its operator writes, also where a User-agent line is read only up to a part of it, and where no
// User-agent line can name it.
func TestNames(t *testing.T) {
	either(t, func(t *testing.T, url string) {
		p := open(t, url, wide)
		p.await(`document.querySelectorAll("#known option").length > 100`)
		p.add("MJ12bot")
		p.await(chips + `.endsWith(", MJ12bot (MJ)")`)
		p.await(`document.querySelectorAll("#grid .column")[3]?.textContent === "MJ12bot (MJ)"`)
		p.click(`#grid [data-row="0"][data-column="3"]`)
		p.await(`document.querySelector("#why").innerText.includes("MJ12bot (MJ) may fetch")`)
		p.script(`document.querySelector("#chips .chip:last-child button").click()`)
		p.add("360spider")
		p.await(chips + `.endsWith(", 360Spider (*)")`)
		p.await(`document.querySelectorAll("#grid .column")[3]?.textContent === "360Spider (*)"`)
		p.click(`#grid [data-row="0"][data-column="3"]`)
		p.await(`document.querySelector("#why").innerText.includes("360Spider (*) may fetch")`)
		p.script(`document.querySelector("#chips .chip:last-child button").click()`)
		p.add("@Common Crawl")
		p.await(chips + `.endsWith(", CCBot")`)
		p.add("@openai")
		p.await(chips + `.endsWith(", OpenAI: 7 crawlers")`)
		p.await(`[...document.querySelectorAll("#grid .column")].some((e) => e.title.includes("ChatGPT-User"))`)
	})
}

// The URLs are whole where there is room for them. Very long ones, and very long names, are shortened, and break nothing.
func TestLongTexts(t *testing.T) {
	either(t, func(t *testing.T, url string) {
		for _, width := range []int64{phone, 800, wide} {
			p := open(t, url, width)
			p.fill("#urls", "/search/results?q=shoes&page=2")
			p.awaitCell(0, 0, "✗disallowed, line 8")
			if cut := value[[]string](p, `[...document.querySelectorAll("#grid .url .start")].filter((e) => e.scrollWidth > e.clientWidth).map((e) => e.textContent)`); len(cut) > 0 {
				t.Errorf("%d pixels: %q are cut", width, cut)
			}
			name, path := strings.Repeat("VeryLongName", 40), "/"+strings.Repeat("long/", 200)
			p.ask(shop, path, "/cart")
			p.add(name)
			p.await(cellText(1, 3) + ` === "✗disallowed, line 2"`)
			if wide := value[int](p, `document.documentElement.scrollWidth`); wide > int(width) {
				t.Errorf("the page is %d pixels wide, not %d", wide, width)
			}
			if !value[bool](p, `(() => { const g = document.querySelector("#grid"); return g.scrollWidth <= g.clientWidth; })()`) {
				t.Errorf("%d pixels: the verdicts are wider than their panel", width)
			}
			p.ask("User-agent: "+name+"\nDisallow: "+path+"x\n\nUser-agent: *\nDisallow: "+path+"\n", path, "/cart")
			p.script(`document.querySelector("#findings").open = true`)
			p.await(`document.querySelector(".fix")?.innerText.includes("VeryLongName") === true`)
			if !value[bool](p, `(() => { const f = document.querySelector("#findings"); return f.scrollWidth <= f.clientWidth; })()`) {
				t.Errorf("%d pixels: the fix is wider than the panel", width)
			}
			if height := value[int](p, `document.querySelector("#grid .row.head .corner").offsetHeight`); width > phone && height > 150 {
				t.Errorf("%d pixels: the names of crawlers are %d pixels high", width, height)
			}
			for _, element := range []string{`#chips .chip:last-of-type span`, `#grid .column:last-of-type`} {
				if title := value[string](p, `document.querySelector(`+quoted(element)+`).title`); title != name {
					t.Errorf("the title of %s has %d characters", element, len(title))
				}
			}
		}
	})
}

// The URLs of a file that is pasted are those of its rules, until a person writes others.
func TestOffers(t *testing.T) {
	both(t, func(t *testing.T, url string) {
		p := open(t, url, wide)
		const urls = `document.querySelector("#urls").value`
		p.fill("#editor", "User-agent: *\nDisallow: /a/*/b$\nAllow: /c\nUser-agent: x\nDisallow: /\n")
		p.await(urls + ` === "/\n/a/x/b\n/c"`)
		p.awaitCell(1, 0, "✗disallowed, line 2")
		p.awaitCell(0, 0, "✓allowed, no rule matches")
		p.do(chromedp.Reload())
		p.fill("#editor", "User-agent: *\nDisallow: /d\n")
		p.await(urls + ` === "/\n/d"`)
		p.fill("#editor", "User-agent: OtherBot\nDisallow: /o\nAllow: /o/*\n\nUser-agent: GPTBot\nDisallow: /g\n") // GPTBot is chosen
		p.await(urls + ` === "/\n/g"`)
		p.fill("#urls", "/mine")
		p.awaitCell(0, 0, "✓allowed, no group applies")
		p.fill("#editor", "User-agent: *\nDisallow: /m\n")
		p.awaitCell(0, 0, "✗disallowed, line 2")
		if got := value[string](p, urls); got != "/mine" {
			t.Errorf("the URLs are %q", got)
		}
	})
}

// drop drops a file on an element.
func (p *tab) drop(selector, name, text string) {
	p.Helper()
	p.script(`const data = new DataTransfer(); data.items.add(new File([` + quoted(text) + `], ` + quoted(name) + `));
		const e = document.querySelector(` + quoted(selector) + `);
		(e.shadowRoot?.querySelector(".cm-line:last-child") ?? e).dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true, composed: true }));`)
}

// A file can be opened, dropped on the editor, and taken away; what was there comes back with Undo.
func TestFiles(t *testing.T) {
	both(t, func(t *testing.T, url string) {
		p := open(t, url, wide)
		text := func(selector string) string {
			return `document.querySelector(` + quoted(selector) + `).shadowRoot.querySelector(".cm-content").innerText.trim()`
		}
		p.ask(shop, "/cart")
		p.drop("#editor", "robots.txt", "User-agent: *\r\nDisallow: /c\r\n")
		p.await(text("#editor") + ` === "User-agent: *\nDisallow: /c"`)
		p.await(`document.querySelector("#file-size").textContent === "29 bytes, CRLF"`)
		p.script(`HTMLAnchorElement.prototype.click = function () { window.name = this.download; };
			URL.createObjectURL = (blob) => { blob.text().then((t) => { window.taken = t; }); return "data:,"; };`)
		p.click("#download-file")
		p.await(`window.name === "robots.txt" && window.taken === "User-agent: *\r\nDisallow: /c\r\n"`)
		p.script(`document.querySelector("#editor").shadowRoot.querySelector(".cm-content").focus()`)
		p.press("z", chromedp.ModifierCtrl)
		p.await(text("#editor") + `.includes("/cart/help")`)
		p.script(`const data = new DataTransfer(); data.items.add(new File(["User-agent: *\nDisallow: /o\n"], "x.txt"));
			const e = document.querySelector("#file-buttons input"); e.files = data.files; e.dispatchEvent(new Event("change"))`)
		p.await(text("#editor") + ` === "User-agent: *\nDisallow: /o"`)
		p.mayFail = true // the daemon refuses a picture
		p.script(`const data = new DataTransfer(); data.items.add(new File([new Uint8Array([137, 80, 78, 71, 13, 10, 0, 0])], "x.png"));
			const e = document.querySelector("#file-buttons input"); e.files = data.files; e.dispatchEvent(new Event("change"))`)
		p.await(`document.querySelector("#file-size").textContent === "8 bytes, CRLF"`)
		p.script(`document.querySelector("#editor").shadowRoot.querySelector(".cm-content").focus()`)
		p.press("z", chromedp.ModifierCtrl)
		p.await(text("#editor") + ` === "User-agent: *\nDisallow: /o"`)
		// A file with several line ends stays as it is until its first change, and comes back with Undo.
		for _, c := range []struct{ text, size, changed string }{
			{"User-agent: *\r\nDisallow: /a\nDisallow: /b\n", "41 bytes, CRLF and LF", "xUser-agent: *\r\nDisallow: /a\r\nDisallow: /b\r\n"},
			{"User-agent: *\nDisallow: /a\r\nDisallow: /b\r", "41 bytes, CRLF, LF and CR", "xUser-agent: *\nDisallow: /a\nDisallow: /b\n"},
		} {
			p.drop("#editor", "robots.txt", c.text)
			p.await(`document.querySelector("#file-size").textContent === ` + quoted(c.size))
			p.click("#download-file")
			p.await(`window.taken === ` + quoted(c.text))
			p.script(`document.querySelector("#editor").shadowRoot.querySelector(".cm-content").focus()`)
			p.press(kb.Home, chromedp.ModifierCtrl)
			p.press("x", 0)
			p.click("#download-file")
			p.await(`window.taken === ` + quoted(c.changed))
			p.script(`document.querySelector("#editor").shadowRoot.querySelector(".cm-content").focus()`)
			p.press("z", chromedp.ModifierCtrl)
			p.click("#download-file")
			p.await(`window.taken === ` + quoted(c.text))
			p.script(`document.querySelector("#editor").shadowRoot.querySelector(".cm-content").focus()`)
			p.press("z", chromedp.ModifierCtrl)
			p.await(`document.querySelector("#file-size").textContent === "27 bytes"`)
		}
		p.drop("#editor", "large.mov", strings.Repeat("x", 8<<20+1))
		p.await(`document.querySelector("#notice").textContent.startsWith("“large.mov” has more than 8 MiB")`)
		p.await(text("#editor") + ` === "User-agent: *\nDisallow: /o"`)
		p.drop("#editor", "other.txt", shop)
		p.await(`document.querySelector("#open-note").textContent === "This is other.txt. Bring your earlier text back"`)
		p.click("#open-note button")
		p.await(text("#editor") + ` === "User-agent: *\nDisallow: /o" && document.querySelector("#open-note").hidden`)
		p.click("#tab-compare")
		p.drop("#compare .editor", "old.txt", shop)
		p.await(text("#compare .editor") + `.includes("/cart/help")`)
		p.await(`document.querySelector("#compare-result").innerText.includes("GPTBot")`)
	})
}

// The records for the chosen crawlers, each once, with the crawlers that it is for.
func TestRecords(t *testing.T) {
	both(t, func(t *testing.T, url string) {
		p := open(t, url, wide)
		p.ask("User-agent: Googlebot\nUser-agent: bingbot\nCrawl-delay: 5\nContent-Signal: ai-train=no, search=maybe\nDisallow: /x\n\nUser-agent: *\nContent-Usage: search=y\nSitemap: https://a.example/<b>.xml\n", "/")
		const text = `document.querySelector("#records").innerText`
		for _, want := range []string{
			"line 3 Crawl-delay: 5 for Googlebot and bingbot; not read by Googlebot",
			"line 4 Content-Signal: ai-train=no, search=maybe for Googlebot and bingbot; cannot be read, and is ignored: search=maybe",
			"line 8 Content-Usage: search=y for GPTBot", "For every crawler\nline 9 Sitemap: https://a.example/<b>.xml",
		} {
			p.await(text + `.replace(/\s*\n\s*/g, "\n").includes(` + quoted(want) + `)`)
		}
		p.script(`const e = document.querySelector("#dialect"); e.value = "google"; e.dispatchEvent(new Event("change"))`)
		p.await(text + `.includes("Crawl-delay: 5 for Googlebot and bingbot; has no effect in this dialect")`)
		p.fill("#editor", "Sitemap: https://a.example/s.xml\nHost: a.example\nSitemap: https://a.example/t.xml\n")
		p.await(`[...document.querySelectorAll("#record-lists button")].map((e) => e.textContent).join() === "line 1,line 2,line 3"`)
		p.fill("#editor", shop)
		p.await(`document.querySelector("#records").hidden`)
	})
}

// The findings can be read to the last one where the window is low, and they have the words of "heed lint".
func TestFindings(t *testing.T) {
	either(t, func(t *testing.T, url string) {
		p := open(t, url, wide, chromedp.EmulateViewport(wide, 500))
		p.fill("#editor", shop+strings.Repeat("Disalow: /x\nFoo: x\n", 10))
		p.await(`/^\d+ warnings, \d+ notes$/.test(document.querySelector("#findings-title").textContent)`)
		p.await(`document.querySelector("#finding-list .badge.note .hidden").textContent === "Note"`)
		p.await(`document.querySelector('#finding-list [data-code="key-misspelt"] details p').textContent.length > 20`)
		const toEnd = `scrollTo(0, document.body.scrollHeight), document.querySelector("#findings").scrollTop = 1e6` // each time, because the page may show the findings again
		last, panel := `document.querySelector("#finding-list li:last-child")`, `document.querySelector("#file")`
		p.await(`(` + toEnd + `, ` + last + `.getBoundingClientRect().bottom <= ` + panel + `.getBoundingClientRect().bottom)`)
		if room := value[int](p, `document.querySelector("#findings").clientHeight`); room < 70 {
			t.Errorf("the findings have %d pixels", room)
		}
		p.fill("#editor", shop+strings.Repeat("Disalow: /x\nFoo: x\n", 4))
		p.do(chromedp.EmulateViewport(wide, 2600)) // what the editor does not need is for the findings
		p.await(`(() => { const f = document.querySelector("#findings"); return f.clientHeight > 500 && f.scrollHeight <= f.clientHeight; })()`)
	})
}
