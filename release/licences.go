package main

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// On each of these systems, the program may contain other modules. The processor makes no difference.
var systems = []string{"linux", "darwin", "windows"}

// These files must be published with a program that contains their module.
var licenceName = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents)|-licen[cs]e`)

type linked struct {
	module string // the name and the version
	root   string
	folder string
}

func licences(path string) error {
	var packages []linked
	for _, system := range systems {
		more, err := linkedFor(system)
		if err != nil {
			return err
		}
		packages = append(packages, more...)
	}
	goroot, err := run(".", os.Environ(), "go", "env", "GOROOT")
	if err != nil {
		return err
	}
	root := strings.TrimSpace(goroot)
	packages = append(packages, linked{"The Go standard library", root, root})

	text, err := licenceTexts(packages)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o644)
}

func linkedFor(system string) (packages []linked, err error) {
	format := "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}\t{{.Dir}}\t{{$.Dir}}{{end}}{{end}}"
	out, err := run(".", append(os.Environ(), "GOWORK=off", "GOOS="+system, "CGO_ENABLED=0"), "go", "list", "-deps", "-f", format, "./cmd/heed")
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(out) {
		if fields := strings.Split(strings.TrimSpace(line), "\t"); len(fields) == 3 {
			packages = append(packages, linked{fields[0], fields[1], fields[2]})
		}
	}
	return packages, nil
}

type licence struct{ module, root, file string }

func licenceTexts(packages []linked) ([]byte, error) {
	files := map[licence]bool{}
	for _, p := range packages {
		for folder := p.folder; ; folder = filepath.Dir(folder) {
			names, err := licenceFiles(folder)
			if err != nil {
				return nil, err
			}
			for _, name := range names {
				files[licence{p.module, p.root, name}] = true
			}
			if folder == p.root {
				if len(names) == 0 {
					return nil, fmt.Errorf("%s has no licence file in %s", p.module, p.root)
				}
				break
			}
		}
	}
	return joinTexts(files)
}

func licenceFiles(folder string) (names []string, err error) {
	entries, err := os.ReadDir(folder)
	for _, e := range entries {
		if e.Type().IsRegular() && filepath.Ext(e.Name()) != ".go" && licenceName.MatchString(e.Name()) {
			names = append(names, filepath.Join(folder, e.Name()))
		}
	}
	return names, err
}

func joinTexts(files map[licence]bool) ([]byte, error) {
	all := slices.SortedFunc(maps.Keys(files), func(a, b licence) int {
		return cmp.Or(cmp.Compare(a.module, b.module), cmp.Compare(a.file, b.file))
	})
	var out bytes.Buffer
	out.WriteString("heed is built from the packages below, whose licences ask for their texts to be here.\n")
	for _, l := range all {
		text, err := os.ReadFile(l.file)
		if err != nil {
			return nil, err
		}
		name, err := filepath.Rel(l.root, l.file)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&out, "\n%s\n%s: %s\n\n%s\n", strings.Repeat("=", 80), l.module, filepath.ToSlash(name), bytes.TrimRight(text, "\n"))
	}
	return out.Bytes(), nil
}
