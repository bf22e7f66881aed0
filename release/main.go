// Command release helps to make a release. It must be run in the root folder of the repository:
//
//	go run ./release check
//	go run ./release licences FILE
//
// check tests the module as other people would use it. It does not change the repository.
//
// licences writes a FILE with the licence texts of all packages in the command.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const (
	module  = "github.com/heed-robots/heed"
	version = "v0.0.1-check"
)

// Building a program tests the package that it uses.
type program struct {
	imports    string // "": the root package of Heed; otherwise the rest of the import path
	body       string
	maxModules int  // how many modules the build may download, not counting Heed
	isTidy     bool // after "go mod tidy", go.mod must require only modules that are compiled into the program
}

var programs = []program{
	{"", `_ = &heed.Crawler{}`, 8, true},
	{"/robotstxt", `robotstxt.Parse(nil, robotstxt.RFC9309)`, 0, true},
	{"/compare", `_ = compare.Policies`, 0, true},
	{"/polite", `_ = &polite.Transport{}`, 8, true},
	{"/store/sqlite", `sqlite.Open("heed.db", sqlite.Options{})`, 18, false},
	{"/store/redis", `redis.Open("redis://127.0.0.1", redis.Options{})`, 10, false},
}

func main() {
	var err error
	switch args := os.Args[1:]; {
	case len(args) == 1 && args[0] == "check":
		err = checkAll()
	case len(args) == 2 && args[0] == "licences":
		err = licences(args[1])
	default:
		err = errors.New("expected the argument \"check\", or the arguments \"licences FILE\"")
	}
	if err != nil {
		fail(err)
	}
}

func checkAll() error {
	folder, err := os.MkdirTemp("", "heed-release")
	if err != nil {
		return err
	}
	err = errors.Join(checkFiles("."), check(folder))
	return errors.Join(err, os.RemoveAll(folder))
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "release:", err)
	os.Exit(1)
}

func check(folder string) error {
	proxy := filepath.Join(folder, "proxy")
	if err := pack(".", proxy); err != nil {
		return err
	}
	// After "go mod download", the next steps need no network. "go mod tidy" finds lines that are missing in go.mod.
	for _, command := range []string{"go mod download", "go mod tidy -diff"} {
		if _, err := run(".", append(os.Environ(), "GOWORK=off"), strings.Fields(command)...); err != nil {
			return err
		}
	}
	cache, err := run(".", os.Environ(), "go", "env", "GOMODCACHE")
	if err != nil {
		return err
	}
	files := "file://" + filepath.ToSlash(strings.TrimSpace(cache)) + "/cache/download"
	// With -trimpath, programs do not contain the path of the temporary folder, so the build cache is useful for the
	// next run.
	environment := append(os.Environ(),
		"GOPROXY=file://"+filepath.ToSlash(proxy)+","+files, "GOSUMDB=off",
		"GOFLAGS=-modcacherw -trimpath", "GOWORK=off", "GOBIN="+filepath.Join(folder, "bin"))

	for _, p := range programs {
		if err := p.check(filepath.Join(folder, "program", p.imports, "main"), environment); err != nil {
			return fmt.Errorf("a program that imports %s: %w", module+p.imports, err)
		}
	}
	return checkCommand(folder, append(environment, "GOMODCACHE="+filepath.Join(folder, "cache")))
}

func (p program) check(folder string, environment []string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	text := fmt.Sprintf("package main\n\nimport %q\n\nfunc main() { %s }\n", module+p.imports, p.body)
	if err := os.WriteFile(filepath.Join(folder, "main.go"), []byte(text), 0o644); err != nil {
		return err
	}
	cache := filepath.Join(folder, "cache")
	environment = append(environment, "GOMODCACHE="+cache)
	for _, command := range [][]string{
		{"go", "mod", "init", "example.com/program"},
		{"go", "get", module + p.imports + "@" + version},
		{"go", "build", "./..."},
	} {
		if _, err := run(folder, environment, command...); err != nil {
			return err
		}
	}
	modules, err := downloaded(cache)
	if err != nil {
		return err
	}
	fmt.Printf("heed%-14s %d modules besides Heed, at most %d\n", p.imports, len(modules), p.maxModules)
	if len(modules) > p.maxModules {
		return fmt.Errorf("a program that uses Heed downloads %d modules; at most %d are allowed: %s", len(modules), p.maxModules, strings.Join(modules, ", "))
	}
	if p.isTidy {
		return checkTidy(folder, environment)
	}
	return nil
}

// maxOnlyInSums limits the modules that are in go.sum but in no program. Tests of imported packages need such modules.
const maxOnlyInSums = 4

// After "go mod tidy", go.mod must require only modules that are compiled into the program.
func checkTidy(folder string, environment []string) error {
	if _, err := run(folder, environment, "go", "mod", "tidy"); err != nil {
		return err
	}
	names, err := run(folder, environment, "go", "list", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}", ".")
	if err != nil {
		return err
	}
	compiled := map[string]bool{}
	for name := range strings.FieldsSeq(names) {
		compiled[name] = true
	}
	sums, err := os.ReadFile(filepath.Join(folder, "go.sum"))
	if err != nil {
		return err
	}
	required, err := run(folder, environment, "go", "mod", "edit", "-print")
	if err != nil {
		return err
	}
	if more := notIn(compiled, required); len(more) > 0 {
		return fmt.Errorf("after go mod tidy, go.mod requires modules that no program uses: %s", strings.Join(more, ", "))
	}
	if more := notIn(compiled, string(sums)); len(more) > maxOnlyInSums {
		return fmt.Errorf("go.sum has modules that no program uses: %s", strings.Join(more, ", "))
	}
	return nil
}

// notIn reads the lines of a go.mod or go.sum. It returns the modules that the command go downloads and that are not in
// the set.
func notIn(set map[string]bool, lines string) (modules []string) {
	for line := range strings.Lines(lines) {
		words := strings.Fields(strings.TrimPrefix(line, "require "))
		if len(words) >= 2 && strings.HasPrefix(words[1], "v") && !strings.HasSuffix(words[1], "/go.mod") && !set[words[0]] {
			modules = append(modules, words[0])
		}
	}
	return modules
}

func checkCommand(folder string, environment []string) error {
	if _, err := run(folder, environment, "go", "install", module+"/cmd/heed@"+version); err != nil {
		return err
	}
	out, err := run(folder, environment, filepath.Join(folder, "bin", "heed"), "version")
	if err == nil && !strings.Contains(out, version) {
		err = fmt.Errorf("heed version prints %q; expected the version %s in it", out, version)
	}
	fmt.Print("installed:     ", out)
	return err
}

func downloaded(cache string) (modules []string, err error) {
	folder := filepath.Join(cache, "cache", "download")
	err = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		name := strings.TrimPrefix(filepath.ToSlash(path), filepath.ToSlash(folder)+"/")
		if err == nil && strings.HasSuffix(name, ".zip") && !strings.HasPrefix(name, module+"/@v/") {
			modules = append(modules, name)
		}
		return err
	})
	return modules, err
}

func run(folder string, environment []string, command ...string) (string, error) {
	c := exec.Command(command[0], command[1:]...)
	c.Dir, c.Env = folder, environment
	var messages bytes.Buffer
	c.Stderr = &messages
	out, err := c.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s%s", strings.Join(command, " "), err, messages.Bytes(), out)
	}
	return string(out), nil
}
