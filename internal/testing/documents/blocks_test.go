package documents

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/pem"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/heed-robots/heed/identity"
	"github.com/heed-robots/heed/internal/testing/portion"
	"github.com/heed-robots/heed/internal/testing/redistest"
)

// A codeBlock is a fenced block of a document.
type codeBlock struct{ document, language, text string }

var fences = regexp.MustCompile("(?ms)^```(\\w*)\n(.*?)^```$")

// documents returns the names of all Markdown files of the repository.
func documents(t *testing.T) (names []string) {
	t.Helper()
	err := filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "node_modules" || entry.Name() == "testdata" || entry.Name() == ".git"):
			return filepath.SkipDir
		case strings.HasSuffix(name, ".md"):
			names = append(names, filepath.ToSlash(name))
		}
		return nil
	})
	if err != nil || len(names) < 10 {
		t.Fatal(names, err)
	}
	return names
}

// codeBlocks returns the fenced blocks of all documents that have one of the languages; without
// languages, all blocks.
func codeBlocks(t *testing.T, languages ...string) (blocks []codeBlock) {
	t.Helper()
	for _, document := range documents(t) {
		text, err := os.ReadFile(document)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range fences.FindAllSubmatch(text, -1) {
			if language := string(m[1]); len(languages) == 0 || slices.Contains(languages, language) {
				blocks = append(blocks, codeBlock{document, language, string(m[2])})
			}
		}
		if n := bytes.Count(text, []byte("```")); n != 2*len(fences.FindAll(text, -1)) {
			t.Errorf("%s: %d fences, not all of them belong to a block", document, n)
		}
	}
	return blocks
}

// TestCodeBlocksRun fails for a block in a language that no test of this file runs.
func TestCodeBlocksRun(t *testing.T) {
	inRoot(t)
	for _, block := range codeBlocks(t) {
		switch {
		case slices.Contains([]string{"go", "console", "sh", "yaml", "json"}, block.language):
		case block.language == "text" && block.document == "docs/architecture.md": // diagrams
		case block.language == "text" && block.document == "docs/lint.md": // cmd/heed/internal/cli makes the examples
		case block.document == "docs/audit.md" && slices.Contains([]string{"nginx", "apache", "caddyfile"}, block.language): // internal/accesslog runs it
		case block.document == "docs/serve.md" && slices.Contains([]string{"nginx", "caddyfile"}, block.language): // cmd/heed/internal/cli runs it
		case strings.HasPrefix(block.document, "packages/"): // the tests of that package run it
		default:
			t.Errorf("%s: no test runs a block of language %q:\n%s", block.document, block.language, block.text)
		}
	}
}

// The packages that Go blocks may use without an import.
var packages = map[string]string{
	"context": "context", "errors": "errors", "fmt": "fmt", "http": "net/http", "os": "os", "testing": "testing",
	"heed": module, "identity": module + "/identity", "heedtest": module + "/heedtest", "polite": module + "/polite", "robotstxt": module + "/robotstxt",
}

// program returns a whole Go file for a block. A block is a file, a test, or the body of a
// function whose error the program prints.
func program(block string) string {
	if strings.HasPrefix(block, "package ") {
		return block
	}
	var b strings.Builder
	b.WriteString("package main\n")
	body := block
	if !strings.HasPrefix(block, "func Test") {
		body = "func main() { if err := run(context.Background()); err != nil { fmt.Println(err) } }\n" +
			"func run(ctx context.Context) error {\n" + block + "\nreturn nil\n}\n"
	}
	code := regexp.MustCompile(`\s//.*`).ReplaceAllString(body, "")
	for name, path := range packages {
		if regexp.MustCompile(`\b` + name + `\.`).MatchString(code) {
			b.WriteString("import \"" + path + "\"\n")
		}
	}
	return b.String() + body
}

// TestGoBlocks compiles and runs each Go block. The output must match the expression.
func TestGoBlocks(t *testing.T) {
	inRoot(t)
	portion.Skip(t, 4)
	t.Parallel()
	wants := map[string][]string{
		"README.md":                     {".*: disallowed by line 2: Disallow: /cart\n"},
		"docs/go.md":                    {"PASS\n", "false 2\ndisallowed by line 2: Disallow: /cart\n"},
		"docs/identity.md":              {`\{"time":"[^"]+","method":"GET","url":"https://www.example.com/cart","agents":\["ExampleBot"\],"allowed":false,"reason":"rule","rule":\{"line":2,.*\npolite: disallowed by line 2: Disallow: /cart\n`},
		"docs/migrating-from-temoto.md": {"false\ndisallowed by line 2: Disallow: /cart\n"},
	}
	environment := append(os.Environ(), exampleCom(t, "User-agent: *\nDisallow: /cart\n")...)
	for _, block := range codeBlocks(t, "go") {
		if len(wants[block.document]) == 0 {
			t.Errorf("%s: no output is expected for this block:\n%s", block.document, block.text)
			continue
		}
		want := wants[block.document][0]
		wants[block.document] = wants[block.document][1:]
		folder := t.TempDir()
		file, built := filepath.Join(folder, "main.go"), filepath.Join(folder, "program.exe")
		build := []string{"build", withoutDebug, "-o", built, file}
		if strings.HasPrefix(block.text, "func Test") {
			file = filepath.Join(folder, "main_test.go")
			build = []string{"test", "-c", withoutDebug, "-o", built, file}
		}
		if err := os.WriteFile(file, []byte(program(block.text)), 0o600); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command("go", build...).CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s\n%s", block.document, err, out, block.text)
			continue
		}
		if strings.Contains(block.text, "https://www.example.com/") && !trustsCertificates {
			continue
		}
		if strings.Contains(block.text, "bot.key") {
			writeKey(t, filepath.Join(folder, "bot.key"))
		}
		run := exec.Command(built)
		run.Dir = folder
		run.Env = environment
		out, err := run.CombinedOutput()
		if err != nil || !regexp.MustCompile("^"+want+"$").Match(out) {
			t.Errorf("%s: %v: got %s, want %s\n%s", block.document, err, out, want, block.text)
		}
	}
	for document, rest := range wants {
		if len(rest) != 0 {
			t.Errorf("%s: no block prints %q", document, rest)
		}
	}
}

// writeKey writes a private key for a block.
func writeKey(t *testing.T, file string) {
	t.Helper()
	key, err := identity.NewKey()
	if err == nil {
		err = identity.WriteKey(file, key)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// withoutDebug makes the linker of Go faster: what is built here is run once, and not debugged.
const withoutDebug = "-ldflags=-s -w"

// trustsCertificates: SSL_CERT_FILE has an effect, so a program can use exampleCom.
const trustsCertificates = runtime.GOOS != "windows" && runtime.GOOS != "darwin"

// A shell runs the commands of blocks.
type shell struct {
	folder      string
	environment []string
	listen      string // the address that heed serve listens on, in place of its usual one
}

// usualListen is the address of heed serve in documents.
const usualListen = "127.0.0.1:8309"

// builtIn is a folder with the command, which is built once for all tests that need it.
var builtIn struct {
	folder string
	sync.Once
	err error
}

var changed sync.Once

// inRoot changes to the root of the repository, where each test begins. It does so in a test and not in TestMain: go test
// notes only from then on where the files are that a test reads, and shows an old result if it does not know them.
func inRoot(t *testing.T) {
	t.Helper()
	changed.Do(func() {
		if err := os.Chdir("../../.."); err != nil {
			t.Fatal(err)
		}
	})
}

func TestMain(m *testing.M) {
	status := m.Run()
	os.RemoveAll(builtIn.folder) // "" is no folder
	os.Exit(status)
}

// buildHeed returns the folder of the command.
func buildHeed(t *testing.T) string {
	t.Helper()
	builtIn.Do(func() {
		if builtIn.folder, builtIn.err = os.MkdirTemp("", "heed-built"); builtIn.err != nil {
			return
		}
		name := "heed"
		if runtime.GOOS == "windows" {
			name = "heed.exe"
		}
		if out, err := exec.Command("go", "build", withoutDebug, "-o", filepath.Join(builtIn.folder, name), "./cmd/heed").CombinedOutput(); err != nil {
			builtIn.err = fmt.Errorf("%w: %s", err, out)
		}
	})
	if builtIn.err != nil {
		t.Fatal(builtIn.err)
	}
	return builtIn.folder
}

// newShell returns a shell in a folder that finds heed. Sites of example.com are on this machine.
func newShell(t *testing.T, folder string) shell {
	t.Helper()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("sh is not installed: the commands in the documents are not run")
	}
	bin := buildHeed(t)
	goCache, err := exec.Command("go", "env", "GOCACHE").Output() // it may be in XDG_CACHE_HOME
	if err != nil {
		t.Fatal(err)
	}
	environment := append(os.Environ(), exampleCom(t, "User-agent: *\nDisallow: /cart\n")...)
	return shell{folder, append(environment,
		"PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"),
		"GOCACHE="+strings.TrimSpace(string(goCache)),
		"XDG_CACHE_HOME="+t.TempDir(), "GOBIN="+t.TempDir(), "COLUMNS=",
	), fmt.Sprint("127.0.0.1:", redistest.FreePort(t))}
}

func (s shell) command(line string) *exec.Cmd {
	c := exec.Command("sh", "-c", strings.ReplaceAll(line, usualListen, s.listen))
	c.Dir, c.Env = s.folder, s.environment
	return c
}

// run returns what a command prints on both of its streams.
func (s shell) run(line string) string {
	out, _ := s.command(line).CombinedOutput() // the exit status is part of an answer
	return strings.ReplaceAll(string(out), s.listen, usualListen)
}

// start starts heed serve, and returns the first line that it prints, and what ends it.
func (s shell) start(t *testing.T, line string) (ready string, stop func()) {
	t.Helper()
	c := s.command("exec " + line + " --listen " + usualListen)
	stderr, err := c.StderrPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	out := bufio.NewReader(stderr)
	ready, _ = out.ReadString('\n')
	go io.Copy(io.Discard, out)
	return strings.ReplaceAll(ready, s.listen, usualListen), func() { c.Process.Kill(); c.Wait() }
}

// TestShellBlocks runs the blocks that need heed, which is built once.
func TestShellBlocks(t *testing.T) {
	inRoot(t)
	for name, test := range map[string]func(shell, *testing.T){
		"console": shell.testConsoleBlocks, "commands": shell.testCommandBlocks, "json": shell.testJSONBlocks,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(newShell(t, "."), t) // each has a cache, a site and a port of its own
		})
	}
}

// testConsoleBlocks: each command of a console block prints the lines below it. In those of curl
// "…" is any text. A command that ends with "&" is heed serve; it runs until the next one.
func (root shell) testConsoleBlocks(t *testing.T) {
	_, noCurl := exec.LookPath("curl")
	canCurl := noCurl == nil && trustsCertificates // the blocks ask about www.example.com
	stop := func() {}
	defer func() { stop() }()
	for _, block := range codeBlocks(t, "console") {
		parts := regexp.MustCompile(`(?m)^\$ `).Split(block.text, -1)
		if len(parts) < 2 || parts[0] != "" {
			t.Errorf("%s: the block does not begin with a command:\n%s", block.document, block.text)
		}
		for _, part := range parts[1:] {
			command, want, _ := strings.Cut(part, "\n")
			pattern, isCurl := regexp.QuoteMeta(want), strings.HasPrefix(command, "curl ")
			if isCurl && !canCurl {
				continue
			}
			if isCurl {
				pattern = strings.ReplaceAll(pattern, "…", ".*")
			}
			var got string
			if line, isDaemon := strings.CutSuffix(command, " &"); isDaemon {
				stop()
				got, stop = root.start(t, line)
			} else {
				got = root.run(command)
			}
			if !regexp.MustCompile("^" + pattern + "$").MatchString(got) {
				t.Errorf("%s: $ %s\n got %s\nwant %s", block.document, command, got, want)
			}
		}
	}
}

// testCommandBlocks runs the commands of sh and yaml blocks. The commands of README.md run
// in the root folder, those of other documents in the folder of a site.
func (root shell) testCommandBlocks(t *testing.T) {
	const passed = "^2 passed, 0 failed\n$"
	const row = `(?m)^https://www\.example\.com/cart\tunknown\tno-capture\t\t$`
	wants := map[string]string{
		"go run ./cmd/heed explain -a Googlebot --robots examples/shop.robots.txt /cart/help": `is allowed for Googlebot \(RFC 9309\)\n  line 16`,
		"make deps test":        `(?ms)^\.ci/deps$.*go test .*-p 1 .*\./\.\.\.`, // of make -n
		"go install ./cmd/heed": "^$",
		"heed check -a ExampleBot https://www.example.com/":           "^allowed      https://www.example.com/",
		"heed diff public/robots.txt --live https://www.example.com/": `\nProved equal: every URL has the same verdict for every crawler \(RFC 9309\)\n$`,
		"diff -rq old new": `^Files old/www\.example\.com\.txt and new/www\.example\.com\.txt differ\n$`,
		`find old -type f | while read -r file; do test ! -e "new/${file#old/}" || heed diff "$file" "new/${file#old/}"; done`: `^Old: old/www\.example\.com\.txt\nNew: new/www\.example\.com\.txt\nThe verdicts differ`,
		"heed filter -a Googlebot --robots old urls.txt | cut -f 1,2 > old.tsv":                                                "1 allowed",
		"heed filter -a Googlebot --robots new urls.txt | cut -f 1,2 > new.tsv":                                                "1 disallowed",
		"diff old.tsv new.tsv": `\n< https://www\.example\.com/cart\tallowed\n---\n> https://www\.example\.com/cart\tdisallowed\n$`,
		"heed diff --live https://www.example.com/ --since-stored --store watch": "https://www.example.com/robots.txt was not cached before, so there is nothing to compare; heed has cached it now",
		"heed identity new bot.key":       "^[A-Za-z0-9_-]{43}\n$",
		"heed identity directory bot.key": `"kid": "[A-Za-z0-9_-]{43}"`,
		`heed identity card --url https://bot.example/card.json --name "Example Bot" --contact mailto:bot@example.com --agent https://bot.example --user-agent "ExampleBot/1.0"`: `"rfc9309-product-token": "ExampleBot"`,
		"heed watch sites.txt --once --store watch":                                "^$",
		"heed test --refresh --robots https://www.example.com/ tests/robots.cases": passed,
		"heed test --format github tests/robots.cases":                             passed,
		"heed test --format junit tests/robots.cases > robots.xml":                 "^$",
		"heed check -a ExampleBot --robots files - < urls.txt":                     "^disallowed   https://www.example.com/cart  line 2: Disallow: /cart\n$",

		"heed compile CC-MAIN-*.warc.gz -o robots.heed":                                                                  "^heed compile: 3 captures of 3 URLs, ",
		"heed filter -a GPTBot --robots robots.heed -o verdicts.parquet --rejects rejects.jsonl urls.parquet":            "^heed filter: 3 URLs checked: 1 allowed, 1 disallowed, 1 unknown\nheed filter: unknown because: 1 no-capture\n$",
		"heed filter -a GPTBot --robots robots.heed --allowed -o allowed.parquet urls.parquet":                           "^heed filter: 3 URLs checked: 1 allowed, 1 disallowed, 1 unknown\nheed filter: 1 URL written\nheed filter: unknown because: 1 no-capture\n$",
		"heed filter -a GPTBot,CCBot,ClaudeBot --robots robots.heed -o three.parquet urls.parquet":                       "GPTBot: 1 allowed, 1 disallowed, 1 unknown; CCBot: 1 allowed, 1 disallowed, 1 unknown; ClaudeBot: 1 allowed, 1 disallowed, 1 unknown\nheed filter: unknown because, in all columns together: 3 no-capture\n$",
		"heed filter -a GPTBot --robots robots.heed --as-of 2024-05-20 --as-of now -o then-and-now.parquet urls.parquet": "GPTBot 2024-05-20: 0 allowed, 0 disallowed, 3 unknown; GPTBot now: 1 allowed, 1 disallowed, 1 unknown\nheed filter: unknown because, in all columns together: 4 no-capture\n$",
		"heed filter -a CCBot --robots robots.heed --for train-ai,search --responses -o uses.tsv CC-MAIN-*.warc.gz":      "^heed filter: 3 URLs checked: 3 allowed, 0 disallowed, 0 unknown\nheed filter: use: train-ai 0 allowed, 0 disallowed, 3 unknown; ",

		"heed compile --columns origin=domain,fetched=crawled,status=http_status,body=text crawl.csv -o crawl.heed": "^heed compile: 1 capture of 1 URL, from 2024-05-20 to 2024-05-20\n",

		"heed compile 'world/*.parquet' -o world.heed --rejects rejects.jsonl --resume": "^heed compile: 3 captures of 3 URLs, ",
		"heed filter -a GPTBot --robots world.heed urls.txt > verdicts.tsv":             "^heed filter: 1 URL checked: 0 allowed, 0 disallowed, 1 unknown\n",

		"heed audit access.log --robots git:public/robots.txt --ranges ranges/":                                                        `\nGPTBot +verified +2 +1 +1 +1 +1 h +disobeys\n`,
		"heed audit access.log --robots git:public/robots.txt --ranges ranges/ --since 2026-05-03 --until 2026-05-04 --fail-on proved": `\nGPTBot +verified +2 +1 +1 +1 +1 h +disobeys\n`,
		"mkdir -p ranges": "^$",

		"LC_ALL=C sort -S 2G urls.txt > sorted.txt":                                 "^$",
		"heed filter -a GPTBot --robots robots.heed -o verdicts.tsv.zst sorted.txt": "^heed filter: 1 URL checked: 0 allowed, 0 disallowed, 1 unknown\n",

		"split -n l/8 urls.txt part. && for part in part.??; do heed filter -a GPTBot --robots robots.heed --input plain < $part > $part.tsv & done; wait; cat part.??.tsv": row,
		"parallel --pipepart --keep-order --block 100M -a urls.txt heed filter -a GPTBot --robots robots.heed --input plain":                                                row,
		"gzip -dc urls.gz | parallel --pipe --keep-order --block 100M heed filter -a GPTBot --robots robots.heed --input plain":                                             row,
	}
	// Commands of other programs, which need the network.
	others := regexp.MustCompile(`^(curl -sO |curl -so |zcat .* \| xargs .*curl -s|duckdb -c |mapred streaming )`)
	site := t.TempDir()
	for name, text := range map[string]string{
		"tests/robots.cases": "robots: ../public/robots.txt\n\nallow    Googlebot  /products/\ndisallow Googlebot  /cart\n",
		"public/robots.txt":  "User-agent: *\nDisallow: /cart\n",
		"access.log": `20.0.0.1 - - [03/May/2026:12:00:00 +0000] "GET /robots.txt HTTP/1.1" 200 31 "-" "GPTBot/1.2"
20.0.0.1 - - [03/May/2026:13:00:00 +0000] "GET /cart HTTP/1.1" 200 31 "-" "GPTBot/1.2"
`,
		"ranges/GPTBot.json":        `{"creationTime":"2026-01-01T00:00:00Z","prefixes":[{"ipv4Prefix":"20.0.0.0/24"}]}`,
		"files/www.example.com.txt": "User-agent: *\nDisallow: /cart\n",
		"sites.txt":                 "www.example.com\n",
		"old/www.example.com.txt":   "User-agent: *\nDisallow: /x\n",
		"new/www.example.com.txt":   "User-agent: *\nDisallow: /cart\n",
		"urls.txt":                  "https://www.example.com/cart\n",
		"urls.gz":                   zipped(t, "https://www.example.com/cart\n"),
		"urls.parquet":              parquetOf(t, "https://example.com/", "https://example.com/private", "https://nowhere.example/"),
		"crawl.csv":                 "domain,crawled,http_status,text,n\nexample.com,1716163200000,200,\"User-agent: *\nDisallow: /private\",5\n",
		"world/0.parquet":           readFile(t, "internal/bulk/parquetfile/testdata/crawler.parquet"),
		"CC-MAIN-0.warc.gz":         readFile(t, "internal/warc/testdata/warcio.warc.gz"),
	} {
		name = filepath.Join(site, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	inSite := root
	inSite.folder = site
	inSite.run("git init -q && git add public && GIT_COMMITTER_DATE=2026-05-01T00:00:00Z git -c user.name=Example -c user.email=example@example.com -c commit.gpgsign=false commit -q -m robots.txt")
	isCommand := regexp.MustCompile(`^- (run: )?(heed .*)$`)
	_, noParallel := exec.LookPath("parallel")
	for _, block := range codeBlocks(t, "sh", "yaml") {
		commands := 0
		for line := range strings.Lines(block.text) {
			command := strings.TrimSpace(line)
			if block.language == "yaml" {
				found := isCommand.FindStringSubmatch(command)
				if found == nil {
					continue
				}
				command = found[2]
			}
			commands++
			want, known := wants[command]
			if !known && slices.Contains([]string{"docs/audit.md", "docs/collections.md", "docs/common-crawl.md", "docs/filter.md"}, block.document) && others.MatchString(command) {
				continue
			}
			if block.document == "beam/README.md" || strings.HasPrefix(block.document, "packages/") { // tests there run it
				continue
			}
			if canSplit := runtime.GOOS == "linux" && noParallel == nil; want == row && !canSplit {
				continue
			}
			if !known {
				t.Errorf("%s: no test runs %s", block.document, command)
				continue
			}
			if strings.Contains(command, "www.example.com/") && !trustsCertificates {
				continue
			}
			in := inSite
			if block.document == "README.md" {
				in = root
			}
			typed := command
			if strings.HasPrefix(command, "make ") { // it would run this test again
				typed = "make -n" + strings.TrimPrefix(command, "make")
			}
			if got := in.run(typed); !regexp.MustCompile(want).MatchString(got) {
				t.Errorf("%s: $ %s\n got %s\nwant %s", block.document, command, got, want)
			}
		}
		if commands == 0 {
			t.Errorf("%s: no command in\n%s", block.document, block.text)
		}
	}
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// zipped returns a text compressed with gzip.
func zipped(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := io.WriteString(w, text); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	return b.String()
}

// parquetOf returns a Parquet file with URLs.
func parquetOf(t *testing.T, urls ...string) string {
	t.Helper()
	type row struct {
		URL string `parquet:"url"`
	}
	var rows []row
	for _, url := range urls {
		rows = append(rows, row{url})
	}
	var b bytes.Buffer
	if err := parquet.Write(&b, rows); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// testJSONBlocks: the JSON in docs/crawlers.md is a table that heed crawlers reads.
func (root shell) testJSONBlocks(t *testing.T) {
	for _, block := range codeBlocks(t, "json") {
		if block.document == "docs/mcp.md" { // cmd/heed/internal/cli runs it
			continue
		}
		file := filepath.Join(t.TempDir(), "table.jsonl")
		if err := os.WriteFile(file, []byte(block.text), 0o600); err != nil {
			t.Fatal(err)
		}
		got := root.run("heed crawlers --format jsonl --crawlers 'only:" + file + "'")
		if block.document != "docs/crawlers.md" || got != block.text {
			t.Errorf("%s: got %s, want %s", block.document, got, block.text)
		}
	}
}

// exampleCom starts an https server with a robots.txt, for all hosts of example.com, and a
// proxy to it. It returns the environment variables with which a program uses the proxy.
func exampleCom(t *testing.T, robots string) []string {
	t.Helper()
	site := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, robots) }))
	t.Cleanup(site.Close)
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodConnect || !strings.HasSuffix(r.Host, "example.com:443") {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		to, err := net.Dial("tcp", site.Listener.Addr().String())
		if err != nil {
			return
		}
		defer to.Close()
		from, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer from.Close()
		io.WriteString(from, "HTTP/1.1 200 Connected\r\n\r\n")
		go io.Copy(to, from)
		io.Copy(from, to)
	}))
	t.Cleanup(proxy.Close)
	roots := filepath.Join(t.TempDir(), "roots.pem")
	block := &pem.Block{Type: "CERTIFICATE", Bytes: site.Certificate().Raw}
	if err := os.WriteFile(roots, pem.EncodeToMemory(block), 0o600); err != nil {
		t.Fatal(err)
	}
	return []string{"HTTPS_PROXY=" + proxy.URL, "NO_PROXY=", "SSL_CERT_FILE=" + roots, "SSL_CERT_DIR=" + os.DevNull}
}
