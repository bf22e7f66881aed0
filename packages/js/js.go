// Package js builds the npm package heed-robots, which is Heed for JavaScript.
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

// Build writes all files of the npm package into a folder.
func Build(folder string) error {
	entries, err := sources.ReadDir(".")
	if err != nil {
		return err
	}
	files := map[string][]byte{}
	for _, e := range entries {
		if files[e.Name()], err = sources.ReadFile(e.Name()); err != nil {
			return err
		}
	}
	if files["LICENSE"], files["LICENSE-go"], err = Licences(); err != nil {
		return err
	}
	return Write(folder, files)
}

// Write writes the files into a folder. It also writes heed.wasm into the folder. This file is Heed compiled to
// WebAssembly.
func Write(folder string, files map[string][]byte) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for name, body := range files {
		if err := os.WriteFile(filepath.Join(folder, name), body, 0o644); err != nil {
			return err
		}
	}
	return compile(filepath.Join(folder, "heed.wasm"))
}

// Licences also returns the licence of Go, because heed.wasm contains the runtime of Go.
func Licences() (ours, ofGo []byte, err error) {
	if ours, err = licenceIn("list", "-m", "-f", "{{.Dir}}", module); err != nil {
		return nil, nil, err
	}
	ofGo, err = licenceIn("env", "GOROOT")
	return ours, ofGo, err
}

func licenceIn(arguments ...string) ([]byte, error) {
	folder, err := exec.Command("go", arguments...).Output()
	if err != nil {
		return nil, err
	}
	return os.ReadFile(filepath.Join(strings.TrimSpace(string(folder)), "LICENSE"))
}

// The list hot has the packages that run while a URL is checked. All other packages are compiled without inlining.
// Without inlining, heed.wasm is 7 % smaller. A call of slices.SortFunc with a new type adds 20 KB to heed.wasm. A
// call of slices.SortStableFunc with a new type adds 7 KB.
var hot = []string{
	module + "/robotstxt", module + "/internal/ascii", module + "/internal/binding",
	"bytes", "internal/bytealg", "internal/stringslite", "math/bits", "strings", "unicode/utf8",
}

func compile(file string) error {
	arguments := []string{"build", "-buildmode=c-shared", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", file, "-gcflags=all=-l"}
	for _, each := range hot {
		arguments = append(arguments, "-gcflags="+each+"=")
	}
	c := exec.Command("go", append(arguments, module+"/packages/js/wasm")...)
	c.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm")
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("heed could not be compiled for WebAssembly: %w\n%s", err, out)
	}
	return nil
}
