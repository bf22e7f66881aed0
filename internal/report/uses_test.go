package report

import (
	"testing"

	"github.com/heed-robots/heed/robotstxt"
)

// The remark on a rule says which lines decide instead of it, or that the file means the same
// without it.
func TestRemarksOnUses(t *testing.T) {
	const group, other = "User-agent: *\n", "\nUser-agent: other\nDisallow: /x\n"
	for text, want := range map[string]string{ // the remark on the rule in line 2
		group + "Disallow: /x":                                              "",
		group + "Disallow: /x/y\nDisallow: /x":                              "changes nothing: without it, every URL has the same verdict",
		group + "Disallow: /x\nAllow: /x":                                   "never decides: line 3 decides instead, and says the opposite",
		group + "Disallow: /x/**\nDisallow: /x/*/y*\nDisallow: /x/":         "changes nothing: without it, every URL has the same verdict",
		group + "Disallow: /x$\nDisallow: /x$":                              "changes nothing: without it, every URL has the same verdict",
		group + "Disallow: *$\nDisallow: /*$\nAllow: /?*":                   "never decides: line 3 decides instead, and says the same",
		group + "Disallow: *x\nAllow: */x\nDisallow: /*x":                   "never decides: lines 3 and 4 decide instead; line 3 says the opposite",
		group + "Disallow: /robots.txt$":                                    "never decides: /robots.txt itself is always allowed",
		group + "Allow: /" + other:                                          "changes nothing itself. But keep the line: without it, the crawlers of its group would be in the next group",
		group + "Disallow: /robots.txt$" + other:                            "never decides: /robots.txt itself is always allowed. But keep the line: without it, the crawlers of its group would be in the next group",
		group + "Allow: /\nCrawl-delay: 5\n":                                "changes nothing: without it, every URL has the same verdict",
		group + "Allow: /\nDisallow:\n" + other:                             "changes nothing: without it, every URL has the same verdict",
		group + "Allow: /p\nAllow: /q\nUser-agent: *\nDisallow: /o" + other: "changes nothing: without it, every URL has the same verdict",
	} {
		rules := SheetOf(nil, "", robotstxt.ParseString(text, nil), [][]string{{"ExampleBot"}}).Crawlers[0].Rules
		for _, r := range rules {
			if got := r.Remark(); r.Line == 2 && got != want {
				t.Errorf("%q: %q, want %q", text, got, want)
			}
		}
	}
}

// Where a blank line ends a group, its User-agent lines do not join the next group (S94-5).
func TestBlankLinesEndNames(t *testing.T) {
	for text, want := range map[string]bool{
		"User-agent: *\nDisallow: /x\n\nUser-agent: b\nDisallow: /y\n": false,
		"User-agent: *\nDisallow: /x\nUser-agent: b\nDisallow: /y\n":   true,
	} {
		if got := onlyRules(robotstxt.ParseString(text, robotstxt.Standard1994))[2]; got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

func TestLinesThatDecideInstead(t *testing.T) {
	for want, u := range map[string]Use{
		"it matches no URL": {},
		"lines 4 and 9 decide instead, and say the same":                                  {BlockedBy: []int{4, 9}},
		"lines 4 and 9 decide instead, and say the opposite":                              {BlockedBy: []int{4, 9}, Opposite: []int{4, 9}},
		"lines 4, 7 and 9 decide instead; line 9 says the opposite":                       {BlockedBy: []int{0, 4, 7, 9}, Opposite: []int{0, 9}},
		"lines 1, 2, 3, 4, 5 and 6 decide instead; lines 1 and 2 say the opposite":        {BlockedBy: []int{1, 2, 3, 4, 5, 6}, Opposite: []int{1, 2}},
		"lines 1, 2, 3, 4, 5 and 2 others decide instead; lines 1 and 2 say the opposite": {BlockedBy: []int{1, 2, 3, 4, 5, 6, 7}, Opposite: []int{1, 2}},
	} {
		if got := u.decidingLines(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
