package saved

import "testing"

func TestHasEscapes(t *testing.T) {
	for body, want := range map[string]bool{
		``:                                       false,
		`\`:                                      false,
		`User-agent: *\nDisallow: /x`:            true,
		`# all\r\n\r\n  disallow : /x`:           true,
		`User-agent: *\n\n# x\nSitemap:/s.xml\n`: true,
		`User-agent: *\\nDisallow: /x`:           true,
		"User-agent: *\\nDisallow: /x\n":         true,
		"# shop\nUser-agent: *\\nDisallow: /x":   true,
		"User-agent: *\\n\nDisallow: /x\\n":      false,
		`Disallow: C:\new`:                       false,
		`# C:\robots.txt: C:\new\allow`:          false,
		"User-agent: *\nDisallow: /(.|\\n)*$":    false,
		`<p>\nAllowed: /`:                        false,
		"User-agent: *\\nCrawl-delay: 10":        true,
		"User-agent: *\\n\\tDisallow: /":         true,
		"User-agent: *\\n# all\\nNoindex: /":     true,
		"# write \\nDisallow: instead\nUser-agent: *\nDisallow: /x": false,
		"Disallow: /x\nUser-agent: a\\r\\nDisallow: /y\n":           true,
	} {
		if got := HasEscapes(body); got != want {
			t.Errorf("%q: %t, want %t", body, got, want)
		}
	}
}
