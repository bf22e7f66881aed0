package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/heed-robots/heed/cmd/heed/internal/lintcmd"
	"github.com/heed-robots/heed/internal/lint"
)

// docs/lint.md describes each rule, from the table of the package lint. "make golden" writes
// it again.
func TestLintDocument(t *testing.T) {
	name := filepath.Join(root, "docs", "lint.md")
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	const end = "by \"make golden\". -->\n"
	written, _, found := strings.Cut(string(text), end)
	if !found {
		t.Fatalf("%s has no line that ends in %q", name, end)
	}
	golden(t, name, written+end+ruleDocument())
}

// ruleDocument returns the rules in Markdown, with the code as the heading of each. "heed lint --explain"
// has the rest.
func ruleDocument() string {
	var b strings.Builder
	severity := ""
	for _, rule := range lint.Rules() {
		if title := sections[rule.Severity]; title != severity {
			severity = title
			fmt.Fprintf(&b, "\n## %s\n", title)
		}
		fmt.Fprintf(&b, "\n### %s\n\n%s %s\n\n", rule.Code, markdown.Replace(rule.Summary), markdown.Replace(rule.Fix))
		fmt.Fprintf(&b, "```text\n%s\n```\n", strings.Join(lintcmd.ExampleLines(rule.BadExample()), "\n"))
	}
	return b.String()
}

var sections = map[lint.Severity]string{lint.Error: "Errors", lint.Warning: "Warnings", lint.Note: "Notes"}

// markdown escapes what could be a mark of Markdown in a sentence.
var markdown = strings.NewReplacer("*", `\*`, "_", `\_`, "<", `\<`, "[", `\[`)
