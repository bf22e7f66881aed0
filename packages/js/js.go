// Package js builds the npm package heed-robots: Heed for JavaScript.
package js

import (
	"embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const module = "github.com/heed-robots/heed"

//go:embed package.json README.md *.js *.d.ts
var sources embed.FS

// Build writes all files of the package into a folder.
func Build(folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	entries, err := sources.ReadDir(".")
	if err != nil {
		return err
	}
	for _, e := range entries {
		body, err := sources.ReadFile(e.Name())
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(folder, e.Name()), body, 0o644); err != nil {
			return err
		}
	}
	if err := licences(folder); err != nil {
		return err
	}
	return Compile(filepath.Join(folder, "heed.wasm"))
}

// licences writes the licences of Heed, and of Go, whose runtime is in heed.wasm.
func licences(folder string) error {
	ours, err := output("go", "list", "-m", "-f", "{{.Dir}}", module)
	if err != nil {
		return err
	}
	root, err := output("go", "env", "GOROOT")
	if err != nil {
		return err
	}
	for name, from := range map[string]string{"LICENSE": ours, "LICENSE-go": root} {
		text, err := os.ReadFile(filepath.Join(from, "LICENSE"))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func output(name string, arguments ...string) (string, error) {
	out, err := exec.Command(name, arguments...).Output()
	return strings.TrimSpace(string(out)), err
}

// hot are the packages that take the time of a decision. All others are compiled without inlining, which makes
// heed.wasm smaller by a fourteenth.
var hot = []string{
	module + "/robotstxt", module + "/internal/ascii", module + "/internal/binding",
	"bytes", "internal/bytealg", "internal/stringslite", "math/bits", "strings", "unicode/utf8",
}

// Compile writes Heed as WebAssembly.
func Compile(file string) error {
	arguments := []string{"build", "-buildmode=c-shared", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", file, "-gcflags=all=-l"}
	for _, each := range hot {
		arguments = append(arguments, "-gcflags="+each+"=")
	}
	c := exec.Command("go", append(arguments, module+"/packages/js/wasm")...)
	c.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm")
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("compiling for WebAssembly: %w\n%s", err, out)
	}
	return nil
}
