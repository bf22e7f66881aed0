package robotstxt

import (
	"reflect"
	"runtime"
	"strings"
	"testing"
	"weak"
)

// Compact policies answer as those that they are made of: about targets, as one of Ways; about the crawler and its
// groups, here.
func TestCompactPoliciesSayTheSame(t *testing.T) {
	const body = "Sitemap: https://a.example/s.xml\nUser-agent: a\nDisallow: /never\n\n# comment\nUser-agent: b\nUser-agent: c\n" +
		"Disallow: /x*.gif$\nCrawl-delay: 5\nAllow: /x%41/index.html\nDisallow:\n\n\n\nUser-agent: *\nDisallow: /all\nUser-agent: c\nCrawl-delay: 7\nDisallow: /more\n"
	for _, d := range Dialects() {
		f := Parse([]byte(body), d)
		var policies []*Policy
		for _, tokens := range [][]string{{"b"}, {"c"}, {"x", "c"}, {"d"}, nil, {"d", NotEveryone}, {"//"}} {
			policies = append(policies, f.Agent(tokens...))
		}
		policies = append(policies, nil, new(Policy))
		compact, _ := Compact(policies)
		for i, p := range policies {
			if p == nil {
				if compact[i] != nil {
					t.Error("a nil policy became another one")
				}
				continue
			}
			said := func(p *Policy) []any {
				all := []any{p.Agents(), p.Otherwise(), p.Dialect().String(), len(p.GroupsThatApply())}
				if p.rules != nil {
					delay, ok := p.CrawlDelay()
					all = append(all, delay, ok, p.Records(), len(p.rules.groups) > 0 && p.IsNamed())
				}
				for r := range p.Rules() {
					all = append(all, r)
				}
				return append(all, p.Check("/xA/index.html"), p.Check("/x.gif"), p.Check("/robots.txt"), p.Check("?"))
			}
			if got, want := said(compact[i]), said(p); !reflect.DeepEqual(got, want) {
				t.Errorf("%v, policy %d:\ngot  %v\nwant %v", d, i, got, want)
			}
		}
		if compact[0].rules.file != compact[1].rules.file || strings.Contains(compact[0].file.body, "/never") {
			t.Errorf("%v: the policies have other groups than those that apply, or each its own", d)
		}
	}
}

// A compact policy does not keep its file in memory, and its size says so.
func TestCompactPoliciesKeepNoFile(t *testing.T) {
	file := ParseString("User-agent: a\nDisallow: /"+strings.Repeat("x", 1<<17)+"\nUser-agent: b\nDisallow: /y", nil)
	gone := weak.Make(file)
	compact, size := Compact([]*Policy{file.Agent("b")})
	file = nil
	runtime.GC()
	if gone.Value() != nil {
		t.Error("the file is kept")
	}
	if size < 100 || size > 2000 {
		t.Errorf("the size is %d bytes", size)
	}
	if _, both := Compact([]*Policy{compact[0], compact[0]}); both != size+compact[0].Size() {
		t.Errorf("the size of two is %d bytes, of one %d", both, size)
	}
	if compact[0].Check("/y").Allowed {
		t.Error("/y is allowed")
	}
}
