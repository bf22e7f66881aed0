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

// docs/lint.md describes each rule, from the table of the package lint. "make picture" writes
// it again.
func TestLintDocument(t *testing.T) {
	name := filepath.Join(root, "docs", "lint.md")
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	const end = "by \"make picture\". -->\n"
	written, _, found := strings.Cut(string(text), end)
	if !found {
		t.Fatalf("%s has no line that ends in %q", name, end)
	}
	golden(t, name, written+end+ruleDocument())
}

// ruleDocument returns the rules in Markdown, with the code as the heading of each.
func ruleDocument() string {
	var b strings.Builder
	severity := ""
	for _, rule := range lint.Rules() {
		if title := sections[rule.Severity]; title != severity {
			severity = title
			fmt.Fprintf(&b, "\n## %s\n", title)
		}
		fmt.Fprintf(&b, "\n### %s\n\n%s %s\n\nWhat to do: %s\n", rule.Code, markdown.Replace(rule.Summary), markdown.Replace(rule.Why), markdown.Replace(rule.Mend))
		writeExample(&b, "With this finding:", rule.Bad)
		writeExample(&b, "Without it:", rule.Good)
	}
	return b.String()
}

var sections = map[lint.Severity]string{lint.Error: "Errors", lint.Warning: "Warnings", lint.Information: "Information"}

// markdown escapes what could be a mark of Markdown in a sentence.
var markdown = strings.NewReplacer("*", `\*`, "_", `\_`, "<", `\<`, "[", `\[`)

func writeExample(b *strings.Builder, title, text string) {
	if text == "" {
		return
	}
	fmt.Fprintf(b, "\n%s\n\n", title)
	for _, line := range lintcmd.ExampleLines(text) {
		fmt.Fprintln(b, strings.TrimRight("    "+line, " "))
	}
}
