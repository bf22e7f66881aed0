package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/heed-robots/heed/internal/binding"
	"github.com/heed-robots/heed/internal/testing/caserun"
	"github.com/heed-robots/heed/internal/testing/portion"
)

// A kit is an installed library, and a compiler.
type kit struct{ prefix, folder string }

// TestLibrary installs the library into an empty folder, and uses it from there.
func TestLibrary(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("install.sh needs a shell: the C library is not tested on Windows")
	}
	skipWithout(t, "cc", "sh", "pkg-config")
	k := kit{t.TempDir(), t.TempDir()}
	t.Run("refusals", testRefusals)
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "with spaces"))
	if err := os.Mkdir(os.Getenv("TMPDIR"), 0o700); err != nil {
		t.Fatal(err)
	}
	k.run(t, "sh", "-c", `cd "$0" && umask 077 && CDPATH=/ sh packages/c/install.sh "$1"`, filepath.Dir(filepath.Dir(thisFolder(t))), k.prefix)
	if moved := filepath.Join(t.TempDir(), "moved"); runtime.GOOS == "linux" {
		if err := os.Rename(k.prefix, moved); err != nil {
			t.Fatal(err)
		}
		k.prefix = moved
	}
	t.Run("files", k.testFiles)
	t.Run("include", k.testInclude)
	t.Run("example", k.testExample)
	t.Run("readme", k.testReadme)
	t.Run("cases", func(t *testing.T) { caserun.Run(t, k.compileStatic(t, "testdata/runner.c")) })
	t.Run("hostile", k.testHostile)
	t.Run("threads", k.testThreads)
	t.Run("load", k.testLoad)
	t.Run("memory", k.testMemory)
}

// thisFolder returns this folder.
func thisFolder(t *testing.T) string {
	t.Helper()
	folder, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

// Without one folder, and without Go, install.sh says what is missing, and makes nothing.
func testRefusals(t *testing.T) {
	empty := t.TempDir()
	for _, c := range []struct {
		path, want string
		arguments  []string
	}{
		{os.Getenv("PATH"), "usage: ", nil},
		{os.Getenv("PATH"), "usage: ", []string{""}},
		{os.Getenv("PATH"), "usage: ", []string{"--help"}},
		{os.Getenv("PATH"), "usage: ", []string{"a", "b"}},
		{empty, "go is not in PATH", []string{"a"}},
	} {
		shell, err := exec.LookPath("sh")
		if err != nil {
			t.Fatal(err)
		}
		install := exec.Command(shell, append([]string{filepath.Join(thisFolder(t), "install.sh")}, c.arguments...)...)
		install.Dir, install.Env = empty, []string{"PATH=" + c.path}
		out, err := install.CombinedOutput()
		made, _ := os.ReadDir(empty)
		if err == nil || !strings.Contains(string(out), c.want) || strings.Count(string(out), "\n") != 1 || len(made) != 0 {
			t.Errorf("%q: %v: got %q, want %q; made %v", c.arguments, err, out, c.want, made)
		}
	}
}

// skipWithout skips the test if a program is not installed.
func skipWithout(t *testing.T, programs ...string) {
	t.Helper()
	for _, program := range programs {
		if _, err := exec.LookPath(program); err != nil && os.Getenv("CI") != "" {
			t.Fatal(err)
		} else if err != nil {
			t.Skipf("%s is not installed: this part of the C library is not tested", program)
		}
	}
}

// run runs a program that must succeed, and returns what it prints.
func (k kit) run(t *testing.T, name string, arguments ...string) string {
	t.Helper()
	c := exec.Command(name, arguments...)
	c.Env = append(os.Environ(), "PKG_CONFIG_PATH="+k.prefix+"/lib/pkgconfig", "LD_LIBRARY_PATH="+k.prefix+"/lib")
	if name == "sh" {
		c.Dir = k.folder
	}
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %q: %v\n%s", name, arguments, err, out)
	}
	return string(out)
}

var warnings = []string{"-Wall", "-Wextra", "-Werror", "-pedantic", "-O1", "-g"}

// compile compiles a file with the flags that pkg-config gives, and others. It returns the program.
func (k kit) compile(t *testing.T, file string, flags ...string) string {
	t.Helper()
	if _, err := os.Stat(file); err != nil { // with this, go test knows when the file is another one
		t.Fatal(err)
	}
	program := filepath.Join(k.folder, strings.ReplaceAll(t.Name()+filepath.Base(file), "/", "-"))
	arguments := append([]string{"-std=c11", "-o", program}, warnings...)
	arguments = append(append(arguments, flags...), file)
	arguments = append(arguments, strings.Fields(k.run(t, "pkg-config", "--cflags", "--libs", "heed"))...)
	k.run(t, "cc", append(arguments, "-lpthread", "-ldl")...)
	return program
}

// compileStatic compiles a file with the static library.
func (k kit) compileStatic(t *testing.T, file string) string {
	t.Helper()
	program := filepath.Join(k.folder, "static-"+filepath.Base(file))
	arguments := append([]string{"-std=c11", "-o", program}, warnings...)
	arguments = append(arguments, file, "-I"+k.prefix+"/include", k.prefix+"/lib/libheed.a", "-lpthread")
	k.run(t, "cc", arguments...)
	return program
}

// Everybody may read the files, only the functions of the header can be seen, and the licences are there.
func (k kit) testFiles(t *testing.T) {
	for _, name := range []string{"include", "include/heed.h", "lib", "lib/libheed.a", "lib/pkgconfig", "lib/pkgconfig/heed.pc"} {
		if info, err := os.Stat(filepath.Join(k.prefix, name)); err != nil || info.Mode()&0o044 != 0o044 {
			t.Errorf("%s: %v: others cannot read it", name, err)
		}
	}
	for _, name := range []string{"LICENSE", "NOTICE", "LICENSE.go"} {
		if text, err := os.ReadFile(k.prefix + "/share/licenses/heed/" + name); err != nil || len(text) < 100 {
			t.Errorf("%s: %v: %q", name, err, text)
		}
	}
	onLinux(t)
	skipWithout(t, "nm")
	names := regexp.MustCompile(`(?m) T (\w+)$`)
	seen := map[string]bool{}
	for _, m := range names.FindAllStringSubmatch(k.run(t, "nm", "-D", "--defined-only", k.prefix+"/lib/libheed.so"), -1) {
		seen[m[1]] = true
	}
	for _, m := range regexp.MustCompile(`HEED_API [\w ]+?\**(heed_\w+)\(`).FindAllStringSubmatch(header(t), -1) {
		if !seen[m[1]] {
			t.Errorf("%s is in the header, and not in the library", m[1])
		}
		delete(seen, m[1])
	}
	if len(seen) != 0 {
		t.Errorf("the library has other names than those of the header: %v", seen)
	}
}

func (k kit) testInclude(t *testing.T) {
	k.run(t, k.compile(t, "testdata/include.c"))
	skipWithout(t, "c++")
	program := filepath.Join(k.folder, "include-c++")
	k.run(t, "c++", append(warnings, "-std=c++17", "-o", program, "-I"+k.prefix+"/include", "-x", "c++", "testdata/include.c", "-x", "none", "-L"+k.prefix+"/lib", "-lheed")...)
	k.run(t, program)
}

func (k kit) testExample(t *testing.T) {
	robots := filepath.Join(t.TempDir(), "robots.txt")
	if err := os.WriteFile(robots, []byte("User-agent: *\nDisallow: /cart\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const want = "disallowed /cart (line 2)\nallowed    https://example.com/ (line 0)\n"
	for _, program := range []string{k.compile(t, "example/example.c"), k.compileStatic(t, "example/example.c")} {
		if got := k.run(t, program, robots, "/cart", "https://example.com/"); got != want {
			t.Errorf("%s: got %s, want %s", program, got, want)
		}
	}
}

// Each command of the README works, and its program prints what it says.
func (k kit) testReadme(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?ms)^```(\\w+)\n(.*?)^```$").FindAllStringSubmatch(string(readme), -1)
	said := regexp.MustCompile("The program prints `(.*)`").FindStringSubmatch(string(readme))
	if len(blocks) != 5 || blocks[0][2] != "packages/c/install.sh /usr/local\n" || blocks[1][1] != "c" || said == nil {
		t.Fatalf("expected how to install, a program, what it prints, how to compile it, the declarations, and how to uninstall; got %q", blocks)
	}
	if err := os.WriteFile(filepath.Join(k.folder, "program.c"), []byte(blocks[1][2]), 0o600); err != nil {
		t.Fatal(err)
	}
	commands := strings.Split(strings.TrimSpace(blocks[2][2]), "\n")
	for _, command := range commands {
		if out := k.run(t, "sh", "-c", command+" -std=c11 "+strings.Join(warnings, " ")+" && ./program"); out != said[1]+"\n" {
			t.Errorf("%s: got %q, the README says %q", command, out, said[1])
		}
	}
	declarations := k.run(t, "sh", "-c", blocks[3][2])
	if !strings.HasPrefix(declarations, "typedef uint64_t heed_handle;\n") || strings.Contains(declarations, "#") || strings.Contains(declarations, "__") {
		t.Errorf("declarations: %s", declarations)
	}
	program := strings.Replace(blocks[1][2], "#include <heed.h>", "#include <stddef.h>\n#include <stdint.h>\n"+declarations, 1)
	if err := os.WriteFile(filepath.Join(k.folder, "program.c"), []byte(program), 0o600); err != nil {
		t.Fatal(err)
	}
	if out := k.run(t, "sh", "-c", commands[0]+" && ./program"); out != said[1]+"\n" {
		t.Errorf("with the declarations: got %q, the README says %q", out, said[1])
	}
	copied := t.TempDir()
	if err := os.CopyFS(copied, os.DirFS(k.prefix)); err != nil {
		t.Fatal(err)
	}
	k.run(t, "sh", "-c", strings.Replace(blocks[4][2], "/usr/local", "'"+copied+"'", 1))
	if files := strings.TrimSpace(k.run(t, "find", copied, "!", "-type", "d")); files != "" {
		t.Errorf("after what the README says about uninstalling there are %s", files)
	}
}

func onLinux(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("this is tested on Linux only")
	}
}

// The sanitizers see reads and writes outside of what belongs to C, and texts that nobody frees.
func (k kit) testHostile(t *testing.T) {
	k.run(t, k.compileStatic(t, "testdata/hostile.c"))
	k.run(t, k.compile(t, "testdata/hostile.c"), "large")
	onLinux(t)
	const sanitizers = "-fsanitize=address,undefined"
	empty := exec.Command("cc", sanitizers, "-x", "c", "-o", filepath.Join(k.folder, "empty"), "-")
	empty.Stdin = strings.NewReader("int main(void) { return 0; }")
	if empty.Run() != nil {
		t.Skip("this compiler has no sanitizers")
	}
	k.run(t, k.compile(t, "testdata/hostile.c", sanitizers))
}

func (k kit) testThreads(t *testing.T) {
	rounds := "20"
	if portion.Whole() {
		rounds = "2000"
	}
	k.run(t, k.compile(t, "testdata/threads.c"), rounds, fmt.Sprint(64<<10)) // heed.h: a stack of 64 KiB is enough
}

func (k kit) testLoad(t *testing.T) {
	onLinux(t)
	k.run(t, k.compile(t, "testdata/load.c", "-Wl,--as-needed"), k.prefix+"/lib/libheed.so")
}

// The memory is flat: four fifths of the files do not need more than the first fifth.
func (k kit) testMemory(t *testing.T) {
	onLinux(t)
	files := "50000"
	if portion.Whole() {
		files = "1000000"
	}
	var early, late int
	if _, err := fmt.Sscan(k.run(t, k.compile(t, "testdata/memory.c"), files), &early, &late); err != nil {
		t.Fatal(err)
	}
	t.Logf("%s files: %d bytes after a fifth, %d at the end", files, early, late)
	if late > early+8<<20 {
		t.Errorf("%d bytes after a fifth, %d at the end", early, late)
	}
}

// header returns heed.h.
func header(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("heed.h")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// constants returns the constants of heed.h with a prefix, without it, and their numbers.
func constants(t *testing.T, prefix string) map[string]string {
	found := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^\t`+prefix+`([A-Z_]+) = (\d+)`).FindAllStringSubmatch(header(t), -1) {
		found[m[1]] = m[2]
	}
	return found
}

// The header has each code of internal/binding and each reason, with its number.
func TestHeaderNumbers(t *testing.T) {
	got := constants(t, "HEED_")
	for name := range got {
		if strings.HasPrefix(name, "REASON_") {
			delete(got, name)
		}
	}
	want := map[string]string{}
	parsed, err := parser.ParseFile(token.NewFileSet(), "../../internal/binding/binding.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		if v, ok := n.(*ast.ValueSpec); ok && len(v.Values) == 1 {
			if number, ok := v.Values[0].(*ast.BasicLit); ok {
				name := regexp.MustCompile(`([a-z])([A-Z])`).ReplaceAllString(v.Names[0].Name, "${1}_$2")
				want[strings.ToUpper(name)] = number.Value
			}
		}
		return true
	})
	equal(t, "codes", got, want)
	want = map[string]string{}
	for i, name := range binding.Reasons() {
		want[strings.ToUpper(strings.ReplaceAll(name, "-", "_"))] = fmt.Sprint(i)
	}
	equal(t, "reasons", constants(t, "HEED_REASON_"), want)
}

func equal(t *testing.T, what string, got, want map[string]string) {
	t.Helper()
	if !maps.Equal(got, want) || len(want) == 0 {
		t.Errorf("%s: the header has %v, Go has %v", what, got, want)
	}
}
