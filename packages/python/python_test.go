// Package python builds and tests the package for Python.
package python

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/heed-robots/heed/internal/binding"
	"github.com/heed-robots/heed/internal/testing/caserun"
	"github.com/heed-robots/heed/internal/testing/portion"
)

// An environment is an empty virtual environment of Python, into which the wheel was installed.
type environment struct {
	python string
	wheel  string
	folder string // has nothing in it
}

// TestPackage builds a wheel, installs it into an empty environment, and uses it from there.
func TestPackage(t *testing.T) {
	for _, program := range []string{"python3", "cc"} {
		if _, err := exec.LookPath(program); err != nil {
			skipWithout(t, program, "the package for Python")
		}
	}
	if out, err := exec.Command("python3", "-c", "import pip, sys, venv; assert sys.version_info >= (3, 9)").CombinedOutput(); err != nil {
		t.Log(string(out))
		skipWithout(t, "python3 with pip, 3.9 or later,", "the package for Python")
	}
	e := install(t)
	t.Run("files", e.testFiles)
	t.Run("readme", e.testReadme)
	t.Run("cases", func(t *testing.T) { caserun.Run(t, e.python, absolute(t, "tests/runner.py")) })
	t.Run("reasons", e.testReasons)
	t.Run("unittest", e.testUnits)
	if portion.Of(4) { // it waits for crawl delays
		t.Run("scrapy", e.testScrapy)
	}
	t.Run("sources", e.testSources)
}

// install builds the wheel, while the environment is made, and installs it.
func install(t *testing.T) environment {
	t.Helper()
	dist, folder := t.TempDir(), t.TempDir()
	e := environment{python: filepath.Join(folder, "venv", "bin", "python"), folder: filepath.Join(folder, "empty")}
	if err := os.Mkdir(e.folder, 0o700); err != nil {
		t.Fatal(err)
	}
	var built sync.WaitGroup
	built.Go(func() { e.wheel = wheelOf(t, ".", dist) })
	run(t, ".", "python3", "-m", "venv", "--without-pip", filepath.Join(folder, "venv"))
	built.Wait()
	run(t, e.folder, "python3", "-m", "pip", "--python", e.python, "install", "--quiet", "--no-index", e.wheel)
	return e
}

// wheelOf builds a wheel from a folder or an archive of sources, in an empty folder, and returns its name.
func wheelOf(t *testing.T, sources, to string) string {
	t.Helper()
	run(t, ".", "python3", "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-index", "--wheel-dir", to, sources)
	return onlyFile(t, to)
}

// onlyFile returns the name of the only file in a folder.
func onlyFile(t *testing.T, folder string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil || len(files) != 1 {
		t.Errorf("%q, %v; expected one file", files, err)
		return ""
	}
	return files[0]
}

// run runs a program that must succeed, and returns what it prints.
func run(t *testing.T, folder, name string, arguments ...string) string {
	t.Helper()
	c := exec.Command(name, arguments...)
	c.Dir = folder
	c.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1", "PIP_DISABLE_PIP_VERSION_CHECK=1")
	out, err := c.CombinedOutput()
	if err != nil {
		t.Errorf("%s %q: %v\n%s", name, arguments, err, out)
	}
	return string(out)
}

func absolute(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(name)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// What is installed has the licences, and the metadata has the README. It can be imported in the folder of its sources too.
func (e environment) testFiles(t *testing.T) {
	run(t, ".", e.python, "-c", "import heed; heed.parse('').close()")
	out := run(t, e.folder, e.python, "-c", `
import importlib.metadata as m
d = m.distribution("heed-robots")
print(*sorted(str(f) for f in d.files), sep="\n")
print(d.metadata["License-Expression"], d.metadata["Version"], d.read_text("METADATA"))
print(d.read_text("WHEEL"))`)
	for _, want := range []string{
		"/licenses/LICENSE\n", "/licenses/LICENSE-Go\n", "/licenses/NOTICE\n", "heed/py.typed\n",
		"Apache-2.0 AND BSD-3-Clause ", "# Heed for Python\n", "Tag: py3-none-",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in %s", want, out)
		}
	}
}

// Each Python block of the README prints the text block below it.
func (e environment) testReadme(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```python\n([^`]*?)```\n\nIt prints:\n\n```text\n(.*?)```\n").FindAllSubmatch(text, -1)
	if len(blocks) != 3 || strings.Count(string(text), "```") != 16 {
		t.Fatalf("%d Python blocks with their output; expected 3, a block of commands, and the settings that testScrapy uses", len(blocks))
	}
	for _, block := range blocks {
		if got := run(t, e.folder, e.python, "-c", string(block[1])); got != string(block[2]) {
			t.Errorf("%s\nprints\n%s\nwant\n%s", block[1], got, block[2])
		}
	}
}

func (e environment) testReasons(t *testing.T) {
	want := strings.Join(binding.Reasons(), " ") + "\n"
	if got := run(t, e.folder, e.python, "-c", "import heed; print(*heed.REASONS)"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func (e environment) testUnits(t *testing.T) {
	c := exec.Command(e.python, "-W", "error::ResourceWarning", "-m", "unittest", "discover", "--start-directory", absolute(t, "tests"))
	c.Dir = e.folder
	c.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1", "HEED_README="+absolute(t, "README.md"), "HEED_USES="+absolute(t, "../../conformance/usage"))
	out, err := c.CombinedOutput()
	want := `\nRan \d\d tests in .*\n\nOK\n`
	if portion.Whole() {
		want += "$" // no socket is left open; that of urllib, which the tests compare with, may be if the machine is busy
	}
	if err != nil || !regexp.MustCompile(want).Match(out) {
		t.Errorf("%v\n%s", err, out)
	}
}

// The package also works in Scrapy, which is a package of Debian for its own Python.
func (e environment) testScrapy(t *testing.T) {
	python := ""
	for _, each := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(each, "-c", "import scrapy").Run() == nil {
			python = each
			break
		}
	}
	if python == "" {
		skipWithout(t, "Scrapy", "heed.scrapy")
	}
	installed := run(t, e.folder, e.python, "-c", "import heed, os; print(os.path.dirname(os.path.dirname(heed.__file__)), end='')")
	c := exec.Command(python, absolute(t, "tests/scrapy_middleware.py"))
	c.Dir = e.folder
	c.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1", "PYTHONPATH="+installed, "HEED_README="+absolute(t, "README.md"), "HEED_USES="+absolute(t, "../../conformance/usage"))
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// skipWithout skips a test for which a program is missing. In CI it fails.
func skipWithout(t *testing.T, program, what string) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatalf("%s is not installed", program)
	}
	t.Skipf("%s is not installed: %s is not tested", program, what)
}

// The archive of sources has all that a wheel is built from, without modules of others: both wheels are the same.
func (e environment) testSources(t *testing.T) {
	dist := t.TempDir()
	run(t, "backend", "python3", "-c", "import heed_build, sys; heed_build.build_sdist(sys.argv[1])", dist)
	t.Setenv("GOPROXY", "off")
	t.Setenv("GOFLAGS", "-modcacherw")
	t.Setenv("GOMODCACHE", t.TempDir())
	got, err := os.ReadFile(wheelOf(t, onlyFile(t, dist), t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	if want, err := os.ReadFile(e.wheel); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%v: the wheel of the archive has %d bytes, that of the folder %d", err, len(got), len(want))
	}
}
