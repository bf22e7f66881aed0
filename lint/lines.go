package lint

import (
	"fmt"

	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/robotstxt"
)

// lineRules are about single lines: their keys and their form.
var lineRules = []Rule{
	{
		Code: "missing-colon", Severity: Error,
		Summary: "A line has no colon between key and value.",
		Why:     "RFC 9309 demands the colon. Google and many others read the line all the same, others ignore it.",
		Mend:    "Write a colon behind the key.",
		Bad:     "User-agent: *\nDisallow /private/\n",
		Good:    "User-agent: *\nDisallow: /private/\n",
		check:   missingColon,
	},
	{
		Code: "rule-before-agent", Severity: Error,
		Summary: "A rule is before the first User-agent line.",
		Why:     "Rules belong to the User-agent lines before them. A rule before the first one is ignored by every crawler (RFC 9309).",
		Mend:    "Write a User-agent line above it, such as \"User-agent: *\".",
		Bad:     "Disallow: /private/\nUser-agent: *\nDisallow: /tmp/\n",
		Good:    "User-agent: *\nDisallow: /private/\nDisallow: /tmp/\n",
		check:   ruleBeforeAgent,
	},
}

func missingColon(f *file, report func(Finding)) {
	for _, line := range f.lines {
		if line.Notes.Has(robotstxt.NoteMissingColon) {
			found := at(line, line.Key, fmt.Sprintf("no colon behind %s", printable.Quote(line.Key)))
			found.Fix = f.newFix("add the colon", span(line, line.Key, line.Key+":"))
			report(found)
		}
	}
}

func ruleBeforeAgent(f *file, report func(Finding)) {
	for _, line := range f.lines {
		if (line.Kind == robotstxt.KindAllow || line.Kind == robotstxt.KindDisallow) && line.Notes.Has(robotstxt.NoteOutsideGroup) {
			report(at(line, line.Key, "no User-agent line is before this rule, so every crawler ignores it"))
		}
	}
}
