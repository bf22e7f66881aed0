package page_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/heed-robots/heed/crawlers"
	"github.com/heed-robots/heed/internal/asked"
	"github.com/heed-robots/heed/internal/policyfile"
	"github.com/heed-robots/heed/internal/testing/portion"
	"github.com/heed-robots/heed/robotstxt"
)

const (
	isProved  = `document.querySelector("#write-result")?.textContent.startsWith("Proved for ") && document.querySelector("#write-proof").ariaBusy === "false"`
	isRefused = `document.querySelector("#write-result")?.textContent === "Nothing is written."`

	policyShown  = `document.querySelector("#write .editor").shadowRoot.querySelector(".cm-content").innerText`
	robotsShown  = `document.querySelector("#written .editor").shadowRoot.querySelector(".cm-content").innerText`
	switchesAsOf = `[...document.querySelectorAll("#switches input[type=radio]:checked")].map((e) => e.name + "=" + e.value).filter((e) => /mode-(everyone|search|ai-|seo)/.test(e)).join(" ")`
)

// openWrite opens the page, and the part that writes.
func openWrite(t *testing.T, url string, width int64) *tab {
	p := open(t, url, width)
	p.click("#to-write")
	p.await(isProved)
	return p
}

// choose chooses a switch.
func (p *tab) choose(name, value string) {
	p.Helper()
	p.click(fmt.Sprintf("[name=%s][value=%s]", name, value))
}

// downloaded returns the file that the browser saves when something is pressed.
func (p *tab) downloaded(name string, press func()) string {
	p.Helper()
	folder := p.TempDir()
	p.do(chromedp.Func(func(ctx context.Context, tab *chromedp.Target) error {
		of, err := cdp.Call(ctx, tab, target.GetTargetInfo, target.GetTargetInfoParams{TargetID: tab.TargetID})
		if err == nil {
			_, err = cdp.Call(ctx, tab, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{
				Behavior: browser.SetDownloadBehaviorBehaviorAllow, BrowserContextID: of.TargetInfo.BrowserContextID, DownloadPath: folder,
			})
		}
		return err
	}))
	press()
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if body, err := os.ReadFile(filepath.Join(folder, name)); err == nil && (len(body) > 0 || time.Now().After(end)) {
			return string(body)
		}
		if time.Now().After(end) {
			p.Fatalf("%s is not saved", name)
		}
	}
}

// written returns the robots.txt that the HTTP API writes from a policy.
func written(t *testing.T, policy string) string {
	t.Helper()
	question, _ := json.Marshal(map[string]string{"policy": policy}) // never fails
	status, answer := asked.Answer(t.Context(), "/v1/write", &asked.Question{Decode: func(into any) error { return json.Unmarshal(question, into) }})
	var w policyfile.Written
	if err := json.Unmarshal(answer, &w); err != nil || status != asked.StatusOK {
		t.Fatalf("%d %s: %v", status, answer, err)
	}
	return w.Robots
}

// From nothing to a file: choose, see the file and its proof, take both away, and check the file.
func TestWrite(t *testing.T) {
	both(t, func(t *testing.T, url string) {
		p := openWrite(t, url, wide)
		p.mayFail = true // on a slow machine, the page asks while only a part of a name is typed
		p.choose("mode-ai-training", "disallow")
		p.await(robotsShown + `.includes("User-agent: GPTBot")`)
		p.await(isProved)
		p.await(`document.querySelector("#write-result").textContent.includes(" known crawlers and all others except AI2Bot-DeepResearchEval: for every URL, this file says what you chose, in RFC 9309 and for Google.")`)
		p.await(`document.querySelector("#write-notes").open && document.querySelector("#write-notes").innerText.includes("Nothing is proved for AI2Bot-DeepResearchEval: ")`)
		p.await(`[...document.querySelectorAll("#switches .crawlers")].some((e) => e.querySelector("summary").textContent.startsWith("GPTBot and ") && e.querySelector("p").textContent.includes("ClaudeBot"))`)

		p.choose("mode-everyone", "paths")
		p.do(chromedp.KeyEvent("/cart")) // the field has the focus
		p.press(kb.Enter, 0)
		p.do(chromedp.KeyEvent("https://shop.example/my account#top"))
		p.click("#write-by-name summary")
		p.click("#add-named")
		p.await(`document.querySelector("#write-by-name h3").textContent === "Crawlers by name" && document.querySelector(".named input").placeholder === "Name of a crawler"`)
		p.do(chromedp.KeyEvent("CCBot"))
		p.await(`document.querySelector("#write-by-name h3").textContent === "Crawlers by name: 1"`)
		p.click(".named .allow")
		p.click("#write-sitemaps summary")
		p.fill("#write-sitemaps textarea", "https://shop.example/sitemap.xml")
		p.click("#write-uses summary")
		p.choose("use-train-ai", "n")
		const policy = "everyone:\n    disallow /cart /my%20account%23top\n    usage train-ai=n\n\nai-training: disallow\nCCBot: allow\nsitemap: https://shop.example/sitemap.xml\n"
		p.await(robotsShown + `.includes("Content-Usage: train-ai=n") && ` + robotsShown + `.includes("Sitemap: ")`)
		p.await(isProved)
		robots := p.downloaded("robots.txt", func() { p.click("#download-robots") })
		if want := written(t, policy); robots != want {
			t.Errorf("the file that is saved is\n%s\nwant\n%s", robots, want)
		}
		if got := p.downloaded("robots.policy", func() { p.click("#download-policy") }); got != policy {
			t.Errorf("the policy that is saved is\n%s\nwant\n%s", got, policy)
		}
		file := robotstxt.ParseString(robots, robotstxt.RFC9309)
		for crawler, want := range map[string]bool{"GPTBot": false, "ClaudeBot": false, "CCBot": true, "Googlebot": true} {
			if got := file.Agent(crawler).Check("/products"); got.Allowed != want {
				t.Errorf("%s: /products is allowed: %v, want %v", crawler, got.Allowed, want)
			}
		}

		// What is pressed before the answer is there waits for it.
		at := p.downloaded("robots.txt", func() {
			p.script(`document.querySelector("[name=mode-search][value=disallow]").click(); document.querySelector("#download-robots").click()`)
		})
		if want := written(t, strings.Replace(policy, "ai-training", "search: disallow\nai-training", 1)); at != want {
			t.Errorf("the file that is saved at once is\n%s\nwant\n%s", at, want)
		}
		p.choose("mode-search", "default")
		p.await(isProved)

		p.do(chromedp.Reload()) // it loses nothing
		p.await(isProved)
		p.await(robotsShown + `.includes("User-agent: GPTBot")`)
		p.await(switchesAsOf + ` === "mode-everyone=paths mode-search=default mode-ai-training=disallow mode-ai-search=default mode-ai-user=default mode-seo=default"`)

		p.click("#check-written")
		p.await(`!document.querySelector("#file").hidden && document.querySelector("#editor").shadowRoot.querySelector(".cm-content").innerText.includes("User-agent: GPTBot")`)
		p.fill("#urls", "/cart")
		p.await(cellText(0, 2) + `.startsWith("✗disallowed, line ")`)
	})
}

// The policy can be changed as text. The switches show what they can, and say what they cannot.
func TestWriteByHand(t *testing.T) {
	portion.Skip(t, 4)
	either(t, func(t *testing.T, url string) {
		p := openWrite(t, url, wide)
		p.await(`document.querySelector("#write .editor").shadowRoot.querySelector(".cm-placeholder").textContent === "For example: ai-training: disallow"`)
		p.mayFail = true // the daemon refuses wrong policies
		p.click("#write-source summary")
		p.fill("#write .editor", "# ours\n\n# much work\nseo: disallow\neveryone: disallow /x\nseo: crawl-delay 3\n")
		p.await(isProved + ` && ` + robotsShown + `.includes("Disallow: /x")`)
		p.await(switchesAsOf + `.startsWith("mode-everyone=paths ") && ` + switchesAsOf + `.endsWith(" mode-seo=disallow")`)
		p.await(`document.querySelector("#write-rare").open && document.querySelector("#write-rare").innerText.includes("Also in the text: crawl-delay 3")`)
		p.choose("mode-search", "allow")
		p.await(policyShown + `.trim().replace(/\n+/g, "\n") === "# ours\neveryone: disallow /x\nsearch: allow\n# much work\nseo:\n    disallow\n    crawl-delay 3"`)

		p.fill("#write .editor", "everyone: disallow x\nwhat\n")
		p.await(isRefused)
		p.await(`document.querySelector("#write-errors").innerText.includes("line 1 of the policy: ") && document.querySelector("#write-errors").innerText.includes("line 2 of the policy: ")`)
		p.await(`document.querySelector("#switches").disabled && document.querySelector("#download-robots").disabled && document.querySelector("#write-off").innerText.includes("cannot show line 2 ")`)
		p.await(robotsShown + `.trim() === ""`) // no file that means something else can be taken away
		p.click("#write-errors li:nth-child(2) button")
		p.await(`document.activeElement.closest("#write") !== null && document.querySelector("#write .editor").shadowRoot.querySelector(".cm-activeLine").textContent === "what"`)
		p.click("#write-off button:last-child")
		p.await(isProved + ` && !document.querySelector("#switches").disabled && ` + switchesAsOf + `.includes("mode-search=allow")`)
		p.await(policyShown + `.includes("# much work")`)

		p.fill("#write .editor", "GPTBut: disallow\n")
		p.await(isProved)
		p.await(`document.querySelector("#write-notes").textContent.includes("did you mean GPTBot?")`)
		p.await(`document.querySelector(".named input").value === "GPTBut"`)
		p.choose("mode-everyone", "paths")
		p.do(chromedp.KeyEvent("my cart"))
		p.await(isRefused + ` && document.querySelector(".path-lists .error").textContent === "“my cart” is no path: a path begins with “/” or “*”."`)

		p.fill("#write .editor", "everyone: disallow /x\nGooglebot:\n    only\n    disallow /a\n    allow /a/b\n")
		p.await(isProved + ` && document.querySelector(".named input[type=checkbox]").checked && document.querySelector(".named > .quiet").hidden`)

		p.click("#add-named")
		p.fill(".named:last-child input", "My Bot")
		p.await(`document.querySelector(".named:last-child .of > .error").textContent.startsWith("“My Bot” cannot be named in a robots.txt, because it has a space.")`)
		const leftOut = `document.querySelector("#left-out").innerText === "Left out: 1 entry under “Crawlers by name” with a wrong name."`
		p.await(leftOut)
		p.fill(".named:last-child input", "My")
		p.await(isProved + ` && document.querySelector("#left-out").hidden && ` + robotsShown + `.includes("User-agent: My")`)
		p.click("#add-named")
		p.fill(".named:last-child input", "My/")
		p.await(`document.querySelector(".named:last-child .of > .error").textContent.startsWith("“My/” cannot be named in a robots.txt, because of its “/”.")`)
		p.await(leftOut)
	})
}

// The robots.txt in the editor can be the beginning. What is written is compared with it.
func TestWriteFromEditor(t *testing.T) {
	both(t, func(t *testing.T, url string) {
		p := open(t, url, wide)
		p.ask(shop+"User-agent: CCBot\nDisallow: /\n\nUser-agent: Bingbot\nDisallow:\n", "/cart")
		p.awaitCell(0, 0, "✗disallowed, line 2")
		p.click("#tab-write")
		p.await(isProved)
		p.click("#begin-with")
		p.await(`document.querySelector("#begun")?.innerText.includes("both mean the same")`)
		p.await(`document.querySelector("#begun").innerText.includes("product tokens for ai-training, and 2 of these are disallowed by name")`)
		p.await(policyShown + `.includes("GPTBot, CCBot: disallow") && ` + policyShown + `.includes("Bingbot: only")`)
		p.await(`document.querySelector(".named input").value === "GPTBot, CCBot" && ` + switchesAsOf + `.startsWith("mode-everyone=paths ")`)
		p.await(`document.querySelector(".named:last-child input[value=allow]").checked && document.querySelector(".named:last-child .path-lists").hidden && document.querySelector(".named:last-child input[type=checkbox]").checked`)
		p.click("#write-rare summary")
		p.choose("mode-seo", "disallow")
		p.await(robotsShown + `.includes("User-agent: AhrefsBot")`)
		p.await(isProved)
		p.click("#check-written")
		p.await(`document.querySelector("#file").hidden === false && ` + cellText(0, 2) + `.startsWith("✗disallowed, line ")`)
		p.click("#tab-compare")
		p.await(`document.querySelector("#compare-result").innerText.includes("AhrefsBot")`)
		p.await(`document.querySelector("#compare .editor").shadowRoot.querySelector(".cm-content").innerText.includes("User-agent: CCBot")`)
		p.fill("#editor", "User-agent: *\nDisallow: /\n")
		p.await(`document.querySelector("#findings-title").textContent.startsWith("1 error")`)
		p.click("#tab-write")
		p.click("#begin-with")
		p.await(`document.querySelector("#begun").innerText.includes("Line 2 is probably a mistake: disallows the whole site for every crawler")`)
	})
}

// If switches were set before the policy is made of the robots.txt in the editor, they can be brought back.
func TestWriteFromEditorReplacesChoices(t *testing.T) {
	either(t, func(t *testing.T, url string) {
		p := open(t, url, wide)
		p.ask(shop+"User-agent: CCBot\nDisallow: /\n\nUser-agent: bingbot\nDisallow: /x\n", "/cart")
		p.awaitCell(0, 0, "✗disallowed, line 2")
		p.click("#tab-write")
		p.await(isProved)
		p.choose("mode-ai-user", "disallow")
		p.await(isProved)
		p.click("#begin-with")
		p.await(`document.querySelector("#begun")?.innerText.includes("both mean the same")`)
		p.await(`document.querySelector("#begun").innerText.includes("product tokens for ai-training, and 2 of these are disallowed by name")`)
		p.await(`document.querySelector("#begun").innerText.includes("If that is not intended, switch “The paths for everyone do not hold here” off for them")`)
		p.click("#undo-begin")
		p.await(switchesAsOf + `.includes("mode-ai-user=disallow") && document.querySelector("#begun").hidden`)
	})
}

// If an expectation fails, the page says once that nothing is written, and then which one.
func TestWriteUnexpected(t *testing.T) {
	either(t, func(t *testing.T, url string) {
		p := openWrite(t, url, wide)
		p.mayFail = true // the daemon refuses the policy
		p.click("#write-source summary")
		p.fill("#write .editor", "seo: disallow\nexpect: disallow Googlebot /\n")
		p.await(isRefused)
		p.await(`document.querySelector("#write-errors").innerText.startsWith(document.querySelector("meta[name=heed-engine]").content === "wasm"
			? "Only heed write and heed serve can test the expectations of a policy" : "1 of 1 expectations fails:\nline 2 of the policy: ")`)
	})
}

// The result has the colour of an error only while there is one.
func TestWriteAfterError(t *testing.T) {
	either(t, func(t *testing.T, url string) {
		p := openWrite(t, url, wide)
		p.mayFail = true // the daemon refuses wrong policies
		const color = `getComputedStyle(document.querySelector("#write-result")).color`
		before := value[string](p, color)
		p.click("#write-source summary")
		p.fill("#write .editor", "what\n")
		p.await(isRefused + ` && ` + color + ` !== ` + quoted(before))
		p.fill("#write .editor", "seo: disallow\n")
		p.await(isProved)
		// The field with a wrong sitemap says what is wrong, also while the text is closed.
		p.await(`document.querySelector("#written").innerText.includes("at the root of your site")`)
		p.click("#write-source summary")
		p.click("#write-sitemaps summary")
		p.fill("#write-sitemaps textarea", "https://www.example.com/s.xml\nfoo")
		p.await(isRefused + ` && document.querySelector("#write-sitemaps .error").textContent === "\"foo\": expected the URL of a sitemap, such as https://www.example.com/sitemap.xml"`)
		p.await(`!document.querySelector("#written").innerText.includes("at the root of your site")`)
		p.fill("#write-sitemaps textarea", "https://www.example.com/s.xml")
		p.await(isProved + ` && document.querySelector("#write-sitemaps .error").textContent === ""`)
		if after := value[string](p, color); after != before {
			t.Errorf("the result is %s after an error, %s before it", after, before)
		}
	})
}

// The switches can be changed with the keyboard alone, and nothing keeps the focus.
func TestWriteByKeyboard(t *testing.T) {
	portion.Skip(t, 4)
	either(t, func(t *testing.T, url string) {
		p := openWrite(t, url, wide)
		toField := func(selector string) {
			t.Helper()
			for range 40 {
				if value[bool](p, `document.activeElement.matches(`+quoted(selector)+`)`) {
					return
				}
				p.press(kb.Tab, 0)
			}
			t.Fatalf("Tab does not reach %s", selector)
		}
		toField("[name=mode-ai-training]")
		if !value[bool](p, `(() => { const s = getComputedStyle(document.activeElement.nextSibling); return s.outlineStyle !== "none" && parseFloat(s.outlineWidth) > 0; })()`) {
			t.Error("the focus cannot be seen")
		}
		p.press(kb.ArrowRight, 0)
		p.press(kb.ArrowRight, 0)
		p.await(robotsShown + `.includes("User-agent: GPTBot")`)
		p.await(isProved)
		toField("#write-source summary")
		p.press(kb.Enter, 0)
		toField("#write .editor")
		toField("#written .editor")
		toField("#check-written")
		p.press(kb.Enter, 0)
		p.await(`document.activeElement.classList.contains("cell")`)
	})
}

// What switches make of a policy means the same, whatever is in it; or they do not touch it.
func TestPolicyAsSwitches(t *testing.T) {
	portion.Skip(t, 4)
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("needs node")
	}
	texts := []string{
		"ai-training: disallow\n", "# one\n\n# two\nai: disallow # three\n# four\n",
		"everyone:\n    disallow /cart /a:b\n    allow /cart/help\n    usage train-ai=n,search=y\n    usage search=n /x\n    crawl-delay 3\n\nseo,\narchive, \n\n  GPTBot,CCBot: disallow /m\nai-input: allow\n",
		"Googlebot: only disallow /a\nbingbot: only allow\nads: inherit\n\"search\": disallow /q\n@CCBot, @seo: disallow\nEVERYONE: disallow /y\n*: disallow /z\n",
		"sitemap: https://a.example/s.xml\nsitemap:\n  https://a.example/t.xml # more\nrecord: Host: a.example\nGooglebot:\n  record Request-rate: 1/5\ncarriers: content-signal, purpose-token\neveryone: usage ai-use=n\n",
		"everyone: disallow\nsearch: allow\nseo:\n\tallow /a$ /b*c\n\tdisallow /a*\n\tdisallow\narchive: allow /\n", "\ufeffeveryone: disallow /ä /\u00a0x /\u2028y\r\nseo: disallow\r\n",
		"GPTBot: disallow /1\nGPTBot: allow /1/2\ngptbot: disallow /3\n" + "seo: disallow " + strings.Repeat("/long ", 100) + "\n",
		"everyone: usage train-ai=n\neveryone: usage search=y\n", "ai-user:\n    disallow /a\n    only allow /b\nai-user: allow /c\n",
		"everyone: disallow /x\nGooglebot:\n    only\n    disallow /a\n    allow /a/b\nseo: only\n",
	}
	untouched := len(texts) // from here on
	texts = append(texts, "a b: disallow\n", "nothing\n", "  disallow\n", "GPTBot/1.0: disallow\n", ": disallow\n", "seo,: disallow\n", "disallow: /x\n", "Bot#1: disallow\n", "\"a, b\": disallow\n")
	in, _ := json.Marshal(texts) // never fails
	const script = `import { readFileSync } from "node:fs"; import { read, write } from "./web/policy.js";
		const purposes = process.argv[1].split(","), again = (text) => { try { return write(read(text, purposes)); } catch (err) { if (!err.line) { throw err; } return null; } };
		console.log(JSON.stringify(JSON.parse(readFileSync(0)).map(again)));`
	var purposes []string
	for _, p := range crawlers.Purposes() {
		purposes = append(purposes, string(p))
	}
	run := exec.Command(node, "--input-type=module", "-e", script, strings.Join(purposes, ","))
	run.Stdin = bytes.NewReader(in)
	run.Stderr = os.Stderr
	out, err := run.Output()
	var again []*string
	if err == nil {
		err = json.Unmarshal(out, &again)
	}
	if err != nil || len(again) != len(texts) {
		t.Fatalf("%d of %d texts: %v", len(again), len(texts), err)
	}
	for i, text := range texts {
		if again[i] == nil || i >= untouched {
			if again[i] != nil || i < untouched {
				t.Errorf("the switches are off for %q: %v", text, again[i] == nil)
			}
			continue
		}
		before, _, wrong := policyfile.Read("before", text, crawlers.Known())
		after, _, now := policyfile.Read("after", *again[i], crawlers.Known())
		if len(wrong) > 0 || len(now) > 0 {
			t.Errorf("%q becomes %q: %v, %v", text, *again[i], wrong, now)
			continue
		}
		w, err := before.Write(t.Context(), crawlers.Known(), nil)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		proof, err := after.Check(t.Context(), robotstxt.ParseString(w.Robots, robotstxt.RFC9309), crawlers.Known(), nil)
		if err != nil || len(proof.Differences) > 0 {
			t.Errorf("%q becomes %q, which means something else: %v %+v", text, *again[i], err, proof)
		}
		for _, comment := range []string{"# one", "# two", "# three", "# four", "# more"} {
			if strings.Contains(text, comment) && !strings.Contains(*again[i], comment) {
				t.Errorf("%q becomes %q, without %q", text, *again[i], comment)
			}
		}
	}
}

// openAll opens all folds of the part that writes, and fills what opens fields.
func (p *tab) openAll() {
	p.Helper()
	p.await(isProved)
	p.script(`
		for (const e of document.querySelectorAll("#write details, #written details")) e.open = true;
		for (const e of document.querySelectorAll("#switches [value=paths]")) e.click();
		document.querySelector("#add-named").click()`)
	p.fill(".path-lists textarea", "/"+strings.Repeat("long", 100))
	p.fill(".named input", strings.Repeat("Long", 20))
	p.script(`document.querySelector(".named [value=paths]").click(); document.querySelector("#begin-with").click()`)
	p.await(`document.querySelector("#begun").hidden === false`)
	p.script(`document.querySelector("#add-named").click(); document.querySelector(".named:last-child [value=paths]").click(); document.querySelector("#written details").open = true`)
	p.fill(".path-lists textarea", "/"+strings.Repeat("long", 100))
	p.fill(".named:last-child input", strings.Repeat("Long", 20)+"/")
	p.await(isProved + ` && ` + robotsShown + `.includes("longlong")`)
}
