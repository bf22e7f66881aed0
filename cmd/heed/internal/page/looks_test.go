package page_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// Beside few columns, the names of crawlers and what pages may be used for are whole. On a phone, which has no room for the
// names of crawlers with the same verdicts, their number is whole.
func TestColumnNames(t *testing.T) {
	either(t, func(t *testing.T, url string) {
		for _, width := range []int64{phone, 800, wide} {
			p := open(t, url, width)
			p.await(`document.querySelectorAll("#known option").length > 100`)
			p.ask("User-agent: *\nDisallow: /cart\nContent-Usage: train-ai=n, search=y\n\nUser-agent: GPTBot\nDisallow: /\n\n"+
				"User-agent: PerplexityBot\nDisallow: /a\nContent-Usage: train-ai=n, search=y\n", "/cart", "/a", "/b", "/search/results?q=shoes&colour=brown&size=42&brand=none&sort=price&page=2")
			if width == wide {
				p.fill("#urls", "/products/shoes?c=red\n/cart")
				p.awaitCell(0, 2, "✗disallowed, line 6")
				p.await(`[...document.querySelectorAll("#grid .because")].every((e) => e.scrollWidth <= e.clientWidth)`)
				p.fill("#urls", "/cart\n/a\n/b\n/search/results?q=shoes&colour=brown&size=42&brand=none&sort=price&page=2")
			}
			for _, name := range []string{"PerplexityBot", "@ai-training"} {
				p.add(name)
			}
			p.await(`document.querySelectorAll("#grid .column").length === 4 && document.querySelector("#grid .column").textContent.includes(" others")`)
			p.await(`document.querySelectorAll("#grid .uses").length > 2`)
			const cut = `((selector) => [...document.querySelectorAll(selector)].filter((e) => e.scrollWidth > e.clientWidth).map((e) => e.textContent))`
			if width == phone {
				p.await(`document.querySelector("#grid .cell .others")?.textContent.startsWith("and ")`)
				if some := value[[]string](p, cut+`("#grid .cell .others")`); len(some) > 0 {
					t.Errorf("%q are cut", some)
				}
				continue
			}
			if some := value[[]string](p, cut+`("#grid .uses, #grid .because")`); len(some) > 0 {
				t.Errorf("%d pixels: %q are cut", width, some)
			}
			p.await(`[...document.querySelectorAll("#grid .uses")].every((e) => e.textContent === "train-ai ✗disallowed, search ✓allowed")`)
			const broken = `[...document.querySelectorAll("#grid .column .name")].flatMap(({ firstChild: text }) => [...text.data.matchAll(/\w+/g)].filter((word) => {
				const range = new Range();
				range.setStart(text, word.index);
				range.setEnd(text, word.index + word[0].length);
				return range.getClientRects().length > 1;
			}).map(String))`
			if some := value[[]string](p, broken); len(some) > 0 {
				t.Errorf("%d pixels: %q are broken", width, some)
			}
			if width == wide { // narrow columns name the purposes too, each in its line
				p.click("#fold")
				p.await(`document.querySelectorAll("#grid .column").length > 20`)
				p.await(`[...document.querySelectorAll("#grid .uses")].every((e) => e.clientWidth < 80 && /^train-ai ✗\s[^]*search ✓/.test(e.innerText) && e.scrollWidth <= e.clientWidth)`)
			}
		}
	})
}

// If a URL is drawn in several lines, the "*" above a part of it does not touch the line before.
func TestWrappedDrawing(t *testing.T) {
	either(t, func(t *testing.T, url string) {
		p := open(t, url, phone)
		p.ask("User-agent: *\nDisallow: /a-long-folder-with-many-words-in-it/*open\n", "/a-long-folder-with-many-words-in-it/and/something/in-it/open")
		p.await(`document.querySelector(".drawing .wildcard")?.textContent === "and/something/in-it/"`)
		p.await(`document.querySelector(".drawing .wildcard").offsetTop > document.querySelector(".drawing .literal").offsetTop + 10`)
		const gap = `(() => {
			const [first] = document.querySelector(".drawing .wildcard").getClientRects(), star = parseFloat(getComputedStyle(document.querySelector(".drawing .wildcard"), "::before").top);
			const before = [...document.querySelectorAll(".drawing span:not(.wildcard)")].flatMap((e) => [...e.getClientRects()]).filter((r) => r.bottom < first.bottom - 5);
			return Math.round(first.top + star - Math.max(...before.map((r) => r.bottom)));
		})()`
		if got := value[int](p, gap); got < 0 {
			t.Errorf("the \"*\" covers %d pixels of the line before", -got)
		}
	})
}

// No line of the note about rules begins with a comma.
func TestCoverageNote(t *testing.T) {
	either(t, func(t *testing.T, url string) {
		for _, width := range []int64{phone, wide} {
			p := open(t, url, width)
			p.ask("User-agent: *\nDisallow: /a\nDisallow: /b\nDisallow: /c\nDisallow: /d\nDisallow: /e\nDisallow: /f\nDisallow: /g\nDisallow: /h\nDisallow: /i\nDisallow: /j\nDisallow: /k\n", "/a")
			p.awaitCell(0, 0, "✗disallowed, line 2")
			p.click("#coverage")
			p.await(`document.querySelector("#coverage-note").textContent.includes("line 12")`)
			const commas = `[...document.querySelectorAll("#coverage-note button")].filter((b) => {
				const range = new Range();
				if (!b.nextSibling?.length) {
					return false;
				}
				range.setStart(b.nextSibling, 0);
				range.setEnd(b.nextSibling, 1);
				return range.getBoundingClientRect().left < b.getBoundingClientRect().right - 1;
			}).length`
			if n := value[int](p, commas); n > 0 {
				t.Errorf("%d pixels: %d lines begin with a comma", width, n)
			}
		}
	})
}

// In a row of the list of crawlers, all crawlers are at the same height.
func TestChoicesInARow(t *testing.T) {
	either(t, func(t *testing.T, url string) {
		for _, width := range []int64{800, wide} {
			p := open(t, url, width)
			p.await(`document.querySelectorAll("#known option").length > 100`)
			p.click("#browse")
			const rows = `Object.values(Object.groupBy(document.querySelectorAll("#picker section:nth-child(2) .choice"), (e) => e.offsetTop))`
			if n := value[int](p, rows+`.filter((row) => new Set(row.map((e) => e.firstChild.offsetTop)).size > 1).length`); n > 0 {
				t.Errorf("%d pixels: in %d rows, crawlers are not at the same height", width, n)
			}
		}
	})
}

// The page names purposes as "heed diff" does, and the crawlers of a purpose have the same number everywhere.
func TestPurposes(t *testing.T) {
	either(t, func(t *testing.T, url string) {
		p := open(t, url, wide)
		p.await(`document.querySelectorAll("#known option").length > 100`)
		p.click("#browse")
		const inPicker = `[...document.querySelectorAll("#picker section")].slice(1).map((e) => e.querySelector("h3").textContent + " " + e.querySelector(".all").textContent.replace("Add all ", "")).join(", ")`
		picker := value[string](p, inPicker)
		p.press(kb.Escape, 0)
		p.click("#tab-write")
		p.await(isProved)
		const inWrite = `[...document.querySelectorAll("#switches .who:has(.crawlers)")].map((e) => e.querySelector(".label").textContent + " " + e.querySelector(".crawlers p").textContent.split(", ").length).join(", ")`
		if write := value[string](p, inWrite); write != picker {
			t.Errorf("Write has the purposes\n%s\nthe list of crawlers has\n%s", write, picker)
		}
		if text := value[string](p, `document.querySelector("#switches").textContent`); !strings.Contains(text, "360Spider (no line can name it)") {
			t.Error("Write does not say which crawlers no line can name")
		}
		const want = "Search, AI training, AI search, AI user, Archive, SEO, Monitor, Ads, Preview, Academic, Security, Feed, Other"
		if got := regexp.MustCompile(` [0-9]+`).ReplaceAllString(picker, ""); got != want {
			t.Errorf("the purposes are %s", got)
		}
	})
}
