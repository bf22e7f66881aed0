package js_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/heed-robots/heed/crawlers"
	"github.com/heed-robots/heed/internal/testing/caserun"
	"github.com/heed-robots/heed/packages/js"
)

// maxSize is how large the package may be, in bytes, as npm sends it. It was 1,520,000 until policies answered before
// they were compiled, and lint became twice as fast; and 1,600,000 until it answered what pages may be used for.
const maxSize = 2_000_000

// work is the folder of all tests, if one needs it.
var work string

// archive is the package as "npm pack" makes it, which is done once for all tests.
var archive = sync.OnceValues(func() (string, error) {
	var err error
	if work, err = os.MkdirTemp("", "heed-robots"); err != nil {
		return "", err
	}
	built := filepath.Join(work, "built")
	if err := js.Build(built); err != nil {
		return "", err
	}
	pack := exec.Command("npm", "pack", "--silent", "--pack-destination", work)
	pack.Dir = built
	out, err := pack.Output()
	return filepath.Join(work, strings.TrimSpace(string(out))), err
})

// user is a folder of a user, who installs the package once for all tests.
var user = sync.OnceValues(func() (string, error) {
	file, err := archive()
	if err != nil {
		return "", err
	}
	folder := filepath.Join(filepath.Dir(file), "user")
	if err := os.CopyFS(folder, os.DirFS("test")); err != nil {
		return "", err
	}
	install := exec.Command("npm", "install", "--offline", "--no-audit", "--no-fund", file)
	install.Dir = folder
	if out, err := install.CombinedOutput(); err != nil {
		return "", fmt.Errorf("npm install: %w\n%s", err, out)
	}
	return folder, nil
})

func TestMain(m *testing.M) {
	status := m.Run()
	os.RemoveAll(work)
	os.Exit(status)
}

// installed returns a folder in which a user has installed the package, with the programs of the folder test.
func installed(t *testing.T) string {
	t.Helper()
	skipWithoutNode(t)
	folder, err := user()
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

// skipWithoutNode skips a test where Node.js is missing.
func skipWithoutNode(t *testing.T) {
	t.Helper()
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("needs %s", program)
		}
	}
}

func run(t *testing.T, folder string, command ...string) string {
	t.Helper()
	c := exec.Command(command[0], command[1:]...)
	c.Dir = folder
	uses, err := filepath.Abs("../../conformance/usage")
	if err != nil {
		t.Fatal(err)
	}
	c.Env = append(os.Environ(), "HEED_USES="+uses)
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", command, err, out)
	}
	return string(out)
}

func TestSize(t *testing.T) {
	skipWithoutNode(t)
	file, err := archive()
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes", info.Size())
	if info.Size() > maxSize {
		t.Errorf("the package has %d bytes; it may have %d", info.Size(), maxSize)
	}
}

func TestNode(t *testing.T) {
	out := run(t, installed(t), "node", "--test", "--test-reporter=tap")
	if !strings.Contains(out, "# fail 0") || strings.Contains(out, "# pass 0") {
		t.Error(out)
	}
}

func TestCases(t *testing.T) {
	folder := installed(t)
	caserun.Run(t, "node", filepath.Join(folder, "runner.mjs"))
}

// The example of the README prints what its comments say.
func TestReadme(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?ms)^```js\n(.*?)^```$").FindAllSubmatch(text, -1)
	if len(blocks) != 3 {
		t.Fatalf("%d blocks", len(blocks))
	}
	folder := installed(t)
	wasm := "./node_modules/heed-robots/heed.wasm"
	for _, block := range blocks {
		var want strings.Builder
		for _, comment := range regexp.MustCompile(`(?m)^ *// (.*)$`).FindAllSubmatch(block[1], -1) {
			want.Write(comment[1])
			want.WriteByte('\n')
		}
		// Node fetches no files, and its workers have other names for messages.
		serve := "import { readFileSync } from 'node:fs'; globalThis.fetch = () => new Response(readFileSync('" + wasm + "'));\n" +
			"globalThis.postMessage = console.log;\n"
		send := "\nglobalThis.onmessage?.({ data: 'User-agent: *\\nDisallow: /' });\n"
		if err := os.WriteFile(filepath.Join(folder, "example.mjs"), []byte(serve+string(block[1])+send), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := run(t, folder, "node", "example.mjs"); got != want.String() {
			t.Errorf("got %s\nwant %s", got, want.String())
		}
	}
}

// No two types have the same name: TypeScript would refuse the file.
func TestTypeNames(t *testing.T) {
	for _, file := range []string{"index.d.ts", "core.d.ts"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		for _, declared := range regexp.MustCompile(`(?m)^export (?:declare )?(?:type|interface|class|const) (\w+)`).FindAllStringSubmatch(string(text), -1) {
			if seen[declared[1]] {
				t.Errorf("%s: two types have the name %s", file, declared[1])
			}
			seen[declared[1]] = true
		}
	}
}

// The types of answers have the members that the answers have.
func TestTypes(t *testing.T) {
	text, err := os.ReadFile("index.d.ts")
	if err != nil {
		t.Fatal(err)
	}
	body, err := os.ReadFile("../../cmd/heed/internal/server/openapi_schemas.json")
	if err != nil {
		t.Fatal(err)
	}
	var schemas map[string]struct {
		Properties map[string]any
		Required   []string
	}
	if err := json.Unmarshal(body, &schemas); err != nil {
		t.Fatal(err)
	}
	members := map[string][]string{}
	parents := map[string][]string{}
	for _, declared := range regexp.MustCompile(`(?ms)^export interface (\w+)(?: extends ([\w, ]+))? \{(.*?)^?\}$`).FindAllStringSubmatch(string(text), -1) {
		name := declared[1]
		parents[name] = strings.FieldsFunc(declared[2], func(r rune) bool { return r == ',' || r == ' ' })
		for _, member := range regexp.MustCompile(`(?m)^  (\w+\??):`).FindAllStringSubmatch(declared[3], -1) {
			members[name] = append(members[name], member[1])
		}
	}
	delete(schemas, "Crawler") // the package has the rows of "heed crawlers"
	for name, want := range map[string][]string{
		"Crawler": append(membersOf(reflect.TypeFor[crawlers.Crawler]()), "agent", "read_as?"),
		"Source":  membersOf(reflect.TypeFor[crawlers.Source]()),
	} {
		if slices.Sort(want); !slices.Equal(slices.Sorted(slices.Values(members[name])), want) {
			t.Errorf("%s:\n got %q\nwant %q", name, members[name], want)
		}
	}
	compared := 0
	for name, schema := range schemas {
		got, ok := members[name]
		if other := map[string]string{"Record": "FileRecord", "Decision": "Decided", "Purpose": "ComparedPurpose"}[name]; other != "" { // TypeScript and the package have others
			got, ok = members[other]
		}
		for _, parent := range parents[name] {
			got, ok = append(got, members[parent]...), true
		}
		if !ok {
			continue // it is an answer of the HTTP API only
		}
		compared++
		var want []string
		for member := range schema.Properties {
			if !slices.Contains(schema.Required, member) {
				member += "?"
			}
			want = append(want, member)
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s:\n got %q\nwant %q", name, got, want)
		}
	}
	if compared < 14 {
		t.Errorf("%d types were compared", compared)
	}
}

// membersOf returns the members of a struct in JSON; "?" marks those that may be absent.
func membersOf(t reflect.Type) (names []string) {
	for i := range t.NumField() {
		name, options, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if options != "" {
			name += "?"
		}
		names = append(names, name)
	}
	return names
}
