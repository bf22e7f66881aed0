package lintcmd

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/heed-robots/heed/cmd/heed/internal/flags"
	"github.com/heed-robots/heed/cmd/heed/internal/sites"
	"github.com/heed-robots/heed/internal/lines"
	"github.com/heed-robots/heed/internal/lint"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/internal/spelling"
)

type lintSettings struct {
	choose, ignore []string // codes and severities; if choose is empty, all rules apply
	failOn         string   // the lowest severity that makes the run fail, or "never"; "" means "error"

	noComments bool // comments in the robots.txt cannot turn rules off
}

var failOnChoices = []string{lint.Error.String(), lint.Warning.String(), "never"}

// severities has the words for severities. A word stands for all rules with this severity.
var severities = []string{lint.Error.String(), lint.Warning.String(), lint.Note.String()}

func lintCodes() (codes []string) {
	for _, rule := range lint.Rules() {
		codes = append(codes, rule.Code)
	}
	return codes
}

func checkCode(word string, otherWords ...string) error {
	codes := lintCodes()
	if slices.Contains(codes, word) || slices.Contains(otherWords, word) {
		return nil
	}
	if meant := spelling.Closest(word, append(codes, otherWords...)); meant != "" {
		return fmt.Errorf("there is no rule %q; did you mean %s?", word, meant)
	}
	return fmt.Errorf(`there is no rule %q; "heed lint --help" lists the codes of all rules`, word)
}

// In an error, prefix is printed before the name of the setting. For flags, prefix is "--".
func (s *lintSettings) check(prefix string) error {
	for _, list := range []struct {
		name  string
		words []string
	}{{"select", s.choose}, {"ignore", s.ignore}} {
		for _, word := range list.words {
			if err := checkCode(word, severities...); err != nil {
				return fmt.Errorf("%s%s: %w", prefix, list.name, err)
			}
		}
	}
	if s.failOn != "" && !slices.Contains(failOnChoices, s.failOn) {
		return fmt.Errorf("%s %q is unknown; %s", prefix+"fail-on", s.failOn, flags.Suggestion(s.failOn, failOnChoices))
	}
	return nil
}

func (s *lintSettings) fails(found lint.Finding) bool {
	switch s.failOn {
	case "never":
		return false
	case lint.Warning.String():
		return found.Severity >= lint.Warning
	}
	return found.Severity >= lint.Error
}

func (s *lintSettings) findings(body []byte) []lint.Finding {
	return s.turnedOn(body, lint.Check(body))
}

func (s *lintSettings) turnedOn(body []byte, findings []lint.Finding) []lint.Finding {
	var comments []lint.Comment
	if !s.noComments {
		comments = lint.Comments(body)
	}
	return slices.DeleteFunc(findings, func(found lint.Finding) bool {
		return !s.selects(found) || names(s.ignore, found) || lint.Hidden(found, comments)
	})
}

func (s *lintSettings) selects(found lint.Finding) bool {
	return len(s.choose) == 0 || names(s.choose, found)
}

// names reports whether the code or the severity of a finding is one of the words.
func names(words []string, found lint.Finding) bool {
	return slices.Contains(words, found.Code) || slices.Contains(words, found.Severity.String())
}

// Comments in the robots.txt of a site do not turn lint rules off. With such comments, the owner of the site could
// hide mistakes.
func (o *lintRun) settingsFor(arg string, isSite bool) (*lintSettings, error) {
	folder := "."
	if !isSite && arg != "-" && !sites.IsGit(arg) {
		folder = filepath.Dir(arg)
	}
	s, err := o.configOf(folder)
	if err != nil {
		return nil, err
	}
	if len(o.flagSettings.choose)+len(o.flagSettings.ignore) > 0 {
		s.choose, s.ignore = o.flagSettings.choose, o.flagSettings.ignore
	}
	if o.flagSettings.failOn != "" {
		s.failOn = o.flagSettings.failOn
	}
	s.noComments = isSite
	return &s, nil
}

func (o *lintRun) configOf(folder string) (lintSettings, error) {
	find, _ := o.configs.LoadOrStore(folder, sync.OnceValues(func() (lintSettings, error) { return findConfig(folder) }))
	return find.(func() (lintSettings, error))()
}

const configName = ".heed-lint"

// findConfig reads the nearest .heed-lint, in the folder or above it. findConfig looks above the folder only inside a
// Git repository. Outside a repository, another user may write a .heed-lint into a folder such as /tmp.
func findConfig(folder string) (lintSettings, error) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return lintSettings{}, err
	}
	root := repositoryOf(folder)
	for {
		name := filepath.Join(folder, configName)
		text, err := readConfigFile(name)
		switch {
		case err == nil:
			return readConfig(name, text)
		case !errors.Is(err, fs.ErrNotExist):
			return lintSettings{}, err
		case folder == root:
			return lintSettings{}, nil
		}
		folder = filepath.Dir(folder)
	}
}

// The file may come from a stranger, so its size has a limit.
const maxConfig = 64 << 10

func readConfigFile(name string) ([]byte, error) {
	switch info, err := os.Stat(name); {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf(`%s is not a regular file: expected a file with settings of "heed lint"`, name)
	case info.Size() > maxConfig:
		return nil, fmt.Errorf(`%s has %d bytes: expected a file with settings of "heed lint", which has at most %d bytes`, name, info.Size(), maxConfig)
	}
	return os.ReadFile(name)
}

// If no folder above has a .git, the result is the folder itself.
func repositoryOf(folder string) string {
	for at := folder; ; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, ".git")); err == nil {
			return at
		}
		if at == filepath.Dir(at) {
			return folder
		}
	}
}

// readConfig reads a file .heed-lint. Its lines have the form "name: value".
func readConfig(name string, text []byte) (lintSettings, error) {
	var s lintSettings
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		line = lines.Text(lines.Trim(line))
		if line == "" {
			continue
		}
		var one lintSettings
		key, value, _ := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		words := strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' })
		var err error
		switch {
		case value == "":
			err = fmt.Errorf("%s: expected a setting with a value, such as \"ignore: no-sitemap\"", printable.Quote(line))
		case key == "select":
			one.choose = words
		case key == "ignore":
			one.ignore = words
		case key == "fail-on":
			one.failOn = value
		default:
			err = fmt.Errorf("the setting %q is unknown; %s", key, flags.Suggestion(key, []string{"select", "ignore", "fail-on"}))
		}
		if err == nil {
			err = one.check("")
		}
		if err != nil {
			return lintSettings{}, fmt.Errorf("%s, line %d: %w", name, number, err)
		}
		s.choose, s.ignore = append(s.choose, one.choose...), append(s.ignore, one.ignore...)
		s.failOn = cmp.Or(one.failOn, s.failOn)
	}
	return s, nil
}

// completeCodes suggests codes and severities for the last word of a list, in which commas separate the words.
func completeCodes(_ *cobra.Command, _ []string, typed string) (words []string, _ cobra.ShellCompDirective) {
	before := typed[:strings.LastIndexByte(typed, ',')+1]
	for _, word := range append(lintCodes(), severities...) {
		words = append(words, before+word)
	}
	return words, cobra.ShellCompDirectiveNoFileComp
}
