package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/heed-robots/heed/robotstxt"
)

// A language has a library of Heed, and a program in bench/languages that measures it beside the library
// that is most used there. The program gets a robots.txt, a file of URLs, a crawler, and where the library is.
type language struct {
	name  string
	rival string // "": none is measured
	build []string
	run   []string
	where string // the built library, if the program must be told
}

// languagesIn returns the languages, whose libraries are built in a folder.
func languagesIn(folder string) []language {
	in := func(name string) string { return filepath.Join(folder, name) }
	c := in("c")
	return []language{
		{
			name: "JavaScript", rival: "robots-parser",
			build: []string{"go", "run", "./packages/js/pack", in("js")},
			run:   []string{"node", "bench/languages/js.mjs"}, where: in("js"),
		},
		{
			name: "Python", rival: "urllib.robotparser",
			build: []string{"env", "PIP_ROOT_USER_ACTION=ignore", "python3", "-m", "pip", "install", "--quiet", "--no-index", "--target", in("python"), "./packages/python"},
			run:   []string{"env", "PYTHONPATH=" + in("python"), "python3", "bench/languages/python.py"},
		},
		{
			name:  "C",
			build: []string{"sh", "-c", "packages/c/install.sh " + c + " && cc -O2 bench/languages/c.c -I " + c + "/include -Wl,-rpath," + c + "/lib -ldl -o " + c + "/bench"},
			run:   []string{c + "/bench"},
		},
	}
}

const languageURLs = 1000

// languages measures the libraries for other languages with the typical made-up file, and Go with the same.
func (s settings) languages() error {
	folder, err := os.MkdirTemp("", "heed-languages")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	var urls []string
	for i := range languageURLs / 2 {
		urls = append(urls, fmt.Sprintf("https://shop.example%s&n=%d", typical.hit, i), fmt.Sprintf("https://shop.example/product/blue-suede-shoes/size-%d.html", i))
	}
	robotsFile, urlsFile := filepath.Join(folder, "robots.txt"), filepath.Join(folder, "urls.txt")
	if err := os.WriteFile(robotsFile, typical.body, 0o600); err != nil {
		return err
	}
	if err := os.WriteFile(urlsFile, []byte(strings.Join(urls, "\n")+"\n"), 0o600); err != nil {
		return err
	}
	t := s.table("language", "what", "Heed", "the most used library there", "", "ratio")
	defer t.flush()
	t.row("Go", "one decision", duration(decisionIn(urls)))
	for _, l := range languagesIn(folder) {
		if err := command(l.build...).Run(); err != nil {
			return fmt.Errorf("%s: %v: %w", l.name, l.build, err)
		}
		words := append(l.run, robotsFile, urlsFile, "ExampleBot")
		if l.where != "" {
			words = append(words, l.where)
		}
		c := command(words...)
		if err := l.measure(c, t); err != nil {
			return fmt.Errorf("%s: %w", l.name, err)
		}
	}
	return nil
}

// command returns a command that shows its errors.
func command(words ...string) *exec.Cmd {
	c := exec.Command(words[0], words[1:]...)
	c.Stderr = os.Stderr
	return c
}

// decisionIn returns the time of one decision in Go.
func decisionIn(urls []string) float64 {
	policy := robotstxt.Parse(typical.body, robotstxt.RFC9309).Agent("ExampleBot")
	return inTurn(5, len(urls), repeat(func() {
		for _, url := range urls {
			policy.Check(url)
		}
	}))[0]
}

// measure runs the program of a language, and adds a row for each line that it prints.
func (l language) measure(c *exec.Cmd, t *table) error {
	printed, err := c.Output()
	if err != nil {
		return err
	}
	for lines := bufio.NewScanner(bytes.NewReader(printed)); lines.Scan(); {
		var row struct {
			What        string
			Heed, Rival float64
		}
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			return err
		}
		cells := []string{l.name, row.What, duration(row.Heed)}
		if l.rival != "" {
			cells = append(cells, l.rival, duration(row.Rival), ratio(row.Rival/row.Heed))
		}
		t.row(cells...)
	}
	return nil
}
