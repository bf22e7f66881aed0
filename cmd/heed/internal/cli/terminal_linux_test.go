package cli

import (
	"errors"
	"fmt"
	"html"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/heed-robots/heed/cmd/heed/internal/layout"
)

// openTerminal makes a pseudo-terminal. A program writes to terminal, and screen reads what a
// person would see.
func openTerminal(t *testing.T, columns int) (screen, terminal *os.File) {
	t.Helper()
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip("no terminal can be made: ", err)
	}
	n, err := unix.IoctlGetInt(int(screen.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(screen.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		terminal, err = os.OpenFile(fmt.Sprint("/dev/pts/", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(int(terminal.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 50, Col: uint16(columns)})
	}
	if err != nil {
		screen.Close()
		t.Skip("no terminal can be made: ", err)
	}
	return screen, terminal
}

// onTerminal returns what a command line shows on a terminal of so many columns.
func onTerminal(t *testing.T, columns int, args ...string) string {
	t.Helper()
	screen, terminal := openTerminal(t, columns)
	defer screen.Close()
	shown := make(chan string)
	go func() {
		text, err := io.ReadAll(screen)
		if err != nil && !errors.Is(err, syscall.EIO) { // EIO means that the other end is closed
			t.Error(err)
		}
		shown <- string(text)
	}()
	Run(args, strings.NewReader(""), terminal, terminal)
	terminal.Close()
	return strings.ReplaceAll(<-shown, "\r\n", "\n")
}

const longURL = "https://shop.example/products/shoes/red/sandals-for-the-beach/reviews/page-of-many.html?from=mail&campaign=summer"

// shop is the robots.txt of the README's examples.
var shop = filepath.Join(root, "examples", "shop.robots.txt")

// scenes are commands whose output on terminals is in testdata/terminal.
var scenes = []struct {
	name string
	args []string
}{
	{"explain", []string{"explain", "-a", "Googlebot", "--robots", shop, "https://shop.example/cart/help?from=mail"}},
	{"explain-long", []string{"explain", "-a", "Googlebot", "--robots", shop, longURL}},
	{"explain-star", []string{"explain", "-a", "ExampleBot", "--robots", shop, "/list/漢字.pdf?sort=price"}},
	{"explain-unreachable", []string{"explain", "-a", "ExampleBot", "--offline", "https://never.example/x"}},
	{"show", []string{"show", "-a", "ExampleBot,Quiet", "testdata/terminal/uses.txt"}},
	{"prove", []string{"prove", "equal", "testdata/terminal/uses.txt", "testdata/terminal/diff/staging.txt"}},
	{"prove-all", []string{"prove", "blocks-all", "-a", "GPTBot,Googlebot,*", shop}},
	{"check", []string{"check", "-a", "x", "--robots", "testdata/terminal/robots.txt", "/x", "/y"}},
	{"check-long", []string{"check", "-a", "Googlebot", "--robots", shop, longURL}},
	{"check-grid", []string{"check", "-a", "GPTBot,Googlebot", "--robots", shop, "/cart/help", "/products/shoes/reviews"}},
	{"check-uses", []string{"check", "-a", "GPTBot", "--for", "train-ai,search", "--robots", "testdata/terminal/preferences.txt", "/cart/help", "/"}},
	{"check-unreachable", []string{"check", "-a", "ExampleBot", "--offline", "https://never.example/x"}},
	{"diff-staging", []string{"diff", shop, "testdata/terminal/diff/staging.txt"}},
	{"diff-edge", []string{"diff", shop, filepath.Join(root, "examples", "shop-edge.robots.txt")}},
	{"diff-reordered", []string{"diff", shop, "testdata/terminal/diff/reordered.txt"}},
	{"diff-many", []string{"diff", shop, "testdata/terminal/diff/many.txt"}},
	{"fetch", []string{"fetch", "http://127.0.0.1:2/" + strings.Repeat("long/", 20)}},
	{"lint", []string{"lint", "--select", "missing-colon,sitemap-invalid,ignored-by", "testdata/terminal/lint.txt"}},
	{"lint-explain", []string{"lint", "--explain", "missing-colon"}},
	{"test", []string{"test", "testdata/terminal/long.cases"}},
	{"crawlers", []string{"crawlers", "--crawlers", "only:testdata/terminal/crawlers.jsonl"}},
	{"audit-evidence", []string{"audit", "--robots", shop, "--evidence", "GPTBot", "testdata/terminal/access.log"}},
	{"help", []string{"cache", "history", "--help"}},
	{"error-flag", []string{"cache", "list", "--formt", "json"}},
	{"error-value", []string{"explain", "-a", "x", "--robots", shop, "--dialect", "w3c", "/"}},
	{"error-url", []string{"explain", "-a", "x", "--robots", shop, "mailto:x@y"}},
}

// On terminals of 40, 80 and 160 columns each scene looks as in testdata/terminal. No line is
// wider than the terminal, and the colours are the only difference to output without colours.
func TestTerminals(t *testing.T) {
	t.Setenv("COLUMNS", "")
	t.Setenv("TERM", "xterm")
	t.Setenv("CLICOLOR_FORCE", "")
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	for _, scene := range scenes {
		for _, columns := range []int{40, 80, 160} {
			t.Setenv("NO_COLOR", "1")
			plain := durations.ReplaceAllString(onTerminal(t, columns, scene.args...), "0.0 s")
			t.Setenv("NO_COLOR", "")
			coloured := durations.ReplaceAllString(onTerminal(t, columns, scene.args...), "0.0 s")
			checkFits(t, scene.name, columns, plain)
			if escapes.ReplaceAllString(coloured, "") != plain {
				t.Errorf("%s at %d columns differs in more than its colours:\n%s", scene.name, columns, coloured)
			}
			golden(t, filepath.Join("testdata", "terminal", fmt.Sprint(scene.name, "-", columns, ".txt")),
				strings.ReplaceAll(coloured, "\x1b", "␛"))
		}
	}
}

// checkFits checks that no line of a text is wider than a terminal.
func checkFits(t *testing.T, name string, columns int, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		if w := layout.Width(strings.TrimRight(line, "\n")); w > columns {
			t.Errorf("%s at %d columns: %d in %q", name, columns, w, line)
		}
	}
}

// Output about cached sites fits terminals. It contains times, so it is not in
// testdata/terminal.
func TestCacheFitsTerminals(t *testing.T) {
	t.Setenv("COLUMNS", "")
	t.Setenv("NO_COLOR", "1")
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			http.Redirect(w, r, "/"+strings.Repeat("far/", 50)+"robots.txt", http.StatusFound)
			return
		}
		w.Header().Set("Cache-Control", "max-age=60, must-revalidate, stale-while-revalidate=30")
		io.WriteString(w, "User-agent: *\nDisallow: /x\n")
	}))
	defer site.Close()
	store := t.TempDir()
	for _, url := range []string{site.URL, "http://127.0.0.1:2", "http://localhost:" + strings.Repeat("0", 40) + "2"} {
		Run([]string{"check", "-a", "x", "--allow-private", "--store", store, url + "/x"}, strings.NewReader(""), io.Discard, io.Discard)
	}
	for _, columns := range []int{40, 80, 160} {
		for _, args := range [][]string{
			{"cache", "list", "--store", store},
			{"cache", "show", "--store", store, site.URL},
			{"cache", "show", "--store", store, "http://127.0.0.1:2"},
			{"cache", "history", "--store", store, site.URL},
			{"fetch", "--allow-private", site.URL},
			{"explain", "-a", "x", "--store", store, "http://127.0.0.1:2/x"},
		} {
			text := onTerminal(t, columns, args...)
			if !strings.Contains(text, "127.0.0.1") && !strings.Contains(text, " UTC  status") {
				t.Errorf("%q at %d columns:\n%s", args, columns, text)
			}
			checkFits(t, strings.Join(args, " "), columns, text)
		}
	}
}

var durations = regexp.MustCompile(`\b\d\.\d s\b`)

var escapes = regexp.MustCompile("\x1b\\[[0-9;]*m")

// golden compares a text with a file. With UPDATE_TRANSCRIPTS it writes the file first.
func golden(t *testing.T, name, got string) {
	t.Helper()
	if os.Getenv("UPDATE_TRANSCRIPTS") != "" {
		if err := os.WriteFile(name, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s is not current:\n%s", name, got)
	}
}

// The picture of the README has the text of the output: it is made by hand.
func TestPictureHasTheOutput(t *testing.T) {
	t.Setenv("COLUMNS", "")
	t.Setenv("NO_COLOR", "1")
	svg, err := os.ReadFile(filepath.Join(root, "docs", "explain.svg"))
	if err != nil {
		t.Fatal(err)
	}
	text := html.UnescapeString(regexp.MustCompile("<[^>]*>").ReplaceAllString(string(svg), " "))
	_, text, _ = strings.Cut(text, "from=mail'") // behind the command
	letters := func(text string) string { return strings.Join(strings.Fields(text), "") }
	if got, want := letters(onTerminal(t, 84, scenes[0].args...)), letters(text); got != want {
		t.Errorf("docs/explain.svg has\n%s\nand heed prints\n%s", want, got)
	}
}

// Text in the picture can be read in the light mode and in the dark mode: its contrast is at least 4.5 (WCAG 1.4.3).
func TestPictureHasContrast(t *testing.T) {
	svg, err := os.ReadFile(filepath.Join(root, "docs", "explain.svg"))
	if err != nil {
		t.Fatal(err)
	}
	fill := regexp.MustCompile(`(?m)^(\S+) \{ fill: #([0-9a-f]{6}); \}$`)
	for mode := range strings.SplitSeq(string(svg), "@media") {
		colours := fill.FindAllStringSubmatch(mode, -1)
		paper := slices.IndexFunc(colours, func(c []string) bool { return c[1] == ".paper" })
		for _, c := range colours {
			light, dark := luminance(t, c[2]), luminance(t, colours[paper][2])
			if contrast := (max(light, dark) + .05) / (min(light, dark) + .05); c[1] != ".paper" && contrast < 4.5 {
				t.Errorf("%s is #%s on #%s: the contrast is %.2f", c[1], c[2], colours[paper][2], contrast)
			}
		}
	}
}

// luminance returns the relative luminance of a colour of sRGB, as in WCAG.
func luminance(t *testing.T, hex string) (sum float64) {
	n, err := strconv.ParseUint(hex, 16, 32)
	if err != nil {
		t.Fatal(err)
	}
	for i, weight := range []float64{.0722, .7152, .2126} {
		c := float64(n>>(8*i)&0xff) / 255
		if c <= .04045 {
			sum += weight * c / 12.92
		} else {
			sum += weight * math.Pow((c+.055)/1.055, 2.4)
		}
	}
	return sum
}

// The lines of output fit terminals, also if a URL, a rule or the name of a file is long. Only the URLs of
// heed crawlers are never broken, so that they can be copied. All its lines below the name are indented.
func TestLinesFitTerminals(t *testing.T) {
	folder, hosts := t.TempDir(), t.TempDir()
	cases, archive := filepath.Join(folder, "cases"), filepath.Join(folder, strings.Repeat("long-", 20)+"name.heed")
	text := "robots:\n  User-agent: *\n  Disallow: " + longURL[len("https://shop.example"):] + "\n  Allow: /products/shoes\n" +
		"  User-agent: GPTBot\n  User-agent: ClaudeBot\n  User-agent: Google-Extended\n  User-agent: Bytespider\n  Disallow: /\nallow ExampleBot /\n"
	for name, text := range map[string]string{cases: text, filepath.Join(hosts, "a.example.txt"): "User-agent: *\nDisallow: /cart\n"} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if status := Run([]string{"compile", "-o", archive, hosts}, nil, io.Discard, io.Discard); status != 0 {
		t.Fatal("heed compile ended with ", status)
	}
	for _, command := range [][]string{
		{"check", "-a", "x", "--color", "never", "--robots", shop, longURL},
		{"test", "--color", "never", "--coverage", cases},
		{"compile", "--verify", archive},
		{"crawlers", "--color", "never", "GPTBot"},
	} {
		for _, columns := range []int{30, 40, 50, 54, 55, 80} {
			for line := range strings.Lines(onTerminal(t, columns, command...)) {
				isURL := command[0] == "crawlers" && strings.Contains(line, "https://")
				if n := layout.Width(strings.TrimSuffix(line, "\n")); n > columns && !isURL {
					t.Errorf("heed %s: %d cells of %d: %s", command[0], n, columns, line)
				}
				if command[0] == "crawlers" && line != "GPTBot\n" && !strings.HasPrefix(line, "  ") {
					t.Errorf("heed crawlers: a line is not indented: %s", line)
				}
			}
		}
	}
}
