package robotstxt

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// pathUnits are what random paths are made of: all that a normal form changes.
var pathUnits = []string{
	"a", "b", "/", "?", "&", "=", ";", "*", "$", "%", "%2", "%2F", "%2f", "%2E", "%2e", "%%32E", "%%32F", "%%341", "%41", "%zz", "%23", "%25",
	"%00", "%3F", "%2A", "%24", "\xff", "\u00fc", "%C3%BC", "%c3%bc", " ", "\x00", "\x7f", "#", "##", "2", "F", "\"", "\\", "{", "%7B",
}

// patternsWithEscapes make the paths of a policy keep every "%", if it does not begin an escape.
var patternsWithEscapes = []string{"/a", "/%2F", "/%", "/%zz", "/%%341", "/*%2"}

// The paths that programs search contain the normal form of every URL, and each of their forms
// is that of a URL.
func TestPaths(t *testing.T) {
	r := rand.New(rand.NewPCG(9309, 1996))
	for _, d := range Dialects() {
		for _, pattern := range patternsWithEscapes {
			p := ParseString("User-agent: *\nDisallow: "+pattern, d).Agent()
			paths := PathsOf(p, p)
			for range 3_000 {
				target := "http://www.example.com/"
				for range r.IntN(7) {
					target += pathUnits[r.IntN(len(pathUnits))]
				}
				form := formOf(p, target)
				if paths.whole && !p.hasOnlyNormalEscapes(form) {
					continue // matched as a path with another byte instead of the "%"
				}
				if !contains(paths, form) {
					t.Fatalf("%s, %s: %q has the form %q, which is not in the set", d, pattern, target, form)
				}
			}
			for range 3_000 {
				form := "/"
				for range r.IntN(7) {
					form += pathUnits[r.IntN(len(pathUnits))]
				}
				if !contains(paths, form) {
					continue
				}
				path := paths.URLPath(form)
				if got := formOf(p, "http://www.example.com"+path); got != form {
					t.Fatalf("%s, %s: %q becomes %q, whose form is %q", d, pattern, form, path, got)
				}
			}
		}
	}
}

// formOf returns the normal form of the path of a URL.
func formOf(p *Policy, target string) string {
	where, _ := p.Dialect().locate(target)
	return string(p.Dialect().appendPath(nil, where.path))
}

// hasOnlyNormalEscapes reports whether each "%" of a form begins an escape in normal form.
func (p *Policy) hasOnlyNormalEscapes(form string) bool {
	for i := strings.IndexByte(form, '%'); i >= 0; i = strings.IndexByte(form, '%') {
		if !isNormalEscape(form[i:]) {
			return false
		}
		form = form[i+3:]
	}
	return true
}

func contains(s Paths, form string) bool {
	state, ok := uint8(0), true
	for i := range len(form) {
		if state, ok = s.Next(state, form[i]); !ok {
			return false
		}
	}
	return s.Ends(state)
}

// Paths of two dialects are their own normal form in both.
func TestPathsOfTwoDialects(t *testing.T) {
	r := rand.New(rand.NewPCG(9309, 2019))
	for _, a := range Dialects() {
		for _, b := range Dialects() {
			p, q := ParseString("", a).Agent(), ParseString("", b).Agent()
			paths, seen := PathsOf(p, q), 0
			if paths.Restricted != (a.form != b.form) {
				t.Errorf("%s, %s: restricted: %v", a, b, paths.Restricted)
			}
			for range 2_000 {
				form := "/"
				for range r.IntN(6) {
					form += pathUnits[r.IntN(len(pathUnits))]
				}
				if !paths.Restricted || !contains(paths, form) {
					continue
				}
				seen++
				target := "http://www.example.com" + paths.URLPath(form)
				if formOf(p, target) != form || formOf(q, target) != form {
					t.Fatalf("%s, %s: %q has the forms %q and %q", a, b, form, formOf(p, target), formOf(q, target))
				}
			}
			if paths.Restricted && seen < 50 {
				t.Errorf("%s, %s: only %d paths", a, b, seen)
			}
		}
	}
}

// Patterns match the normal form of a path as Check does.
func TestPatterns(t *testing.T) {
	for _, test := range []struct {
		d             *Dialect
		rules, expect string
	}{
		{RFC9309, "Disallow: /a**b*$\nAllow: /%7e?x=/", `"" "/robots.txt$" 0 allowed; "/a*b" 7; "/~?x=/" 6 lax allowed`},
		{Google, "Allow: /d/index.html\nDisallow:", `"/d/index.html" 13 allowed; "/d/$" 4 allowed; "" 0 allowed`},
		{Draft1996, "Disallow: /%2F*\nAllow: /%61$", `"/%2F*" 5; "/a$" 3 allowed`},
		{Standard1994, "Disallow: /a*$\nAllow: /", `"/a*$" 4`},
	} {
		var got []string
		for m := range ParseString("User-agent: *\n"+test.rules, test.d).Agent().Patterns() {
			s := strings.Join(m.Segments, "*")
			if m.Anchored {
				s += "$"
			}
			s = fmt.Sprintf("%q %d", s, m.Length)
			if m.Rule == (Rule{}) {
				s = `"" ` + s
			}
			if m.Lax {
				s += " lax"
			}
			if m.Allowed {
				s += " allowed"
			}
			got = append(got, s)
		}
		if s := strings.Join(got, "; "); s != test.expect {
			t.Errorf("%s: got  %s\nwant %s", test.d, s, test.expect)
		}
	}
}

// S96-4: paths that are not equal have different normal forms, which are the same in a Trace, in
// its rules and in Patterns.
func TestOneDecodedForm(t *testing.T) {
	for written, want := range map[string]string{
		"/a%2fb": "/a%2Fb", "/a%2Fb": "/a%2Fb", "/a%252Fb": "/a%252Fb", "/a%25252Fb": "/a%25252Fb",
		"/a%62": "/ab", "/100%": "/100%25", "/%zz": "/%25zz", "/%2": "/%252", "/%23/": "/#/", "/%3F": "/?",
	} {
		p := ParseString("User-agent: *\nDisallow: "+written+"\n", Draft1996).Agent()
		trace := p.Explain(written)
		if trace.Path != want || len(trace.Candidates) != 1 || trace.Candidates[0].Pattern != want {
			t.Errorf("%s: path %s, rules %+v; want %s", written, trace.Path, trace.Candidates, want)
		}
		for pattern := range p.Patterns() {
			if len(pattern.Segments) != 1 || pattern.Segments[0] != want {
				t.Errorf("%s: segments %q, want %q", written, pattern.Segments, want)
			}
		}
	}
	for _, pair := range [][2]string{{"/a%252Fb", "/a%2Fb"}, {"/a%2F", "/a/"}, {"/%2523", "/%23"}} {
		p := ParseString("User-agent: *\nDisallow: "+pair[0]+"\n", Draft1996).Agent()
		if got := p.Check(pair[1]); !got.Allowed {
			t.Errorf("%s: %s", pair, got)
		}
	}
}

// Where each "%" of the patterns of both policies begins an escape in normal form, paths have no
// other ones: two digits follow, with capital letters.
func TestWholeEscapes(t *testing.T) {
	policy := func(pattern string) *Policy { return ParseString("User-agent: *\nDisallow: "+pattern, RFC9309).Agent() }
	for pattern, want := range map[string]bool{"/a": true, "/%2F%2F": true, "/%": false, "/%zz": false, "/%2F%zz": false, "/%2F*%zz": false} {
		for _, s := range []Paths{PathsOf(policy(pattern), policy("/x")), PathsOf(policy("/x"), policy(pattern))} {
			if s.whole != want {
				t.Errorf("%s: %v", pattern, s.whole)
			}
		}
	}
	s := PathsOf(policy("/%2F"), policy("/x"))
	for c := range 256 {
		if _, ok := s.Next(afterPercent, byte(c)); ok != (strings.IndexByte("0123456789ABCDEF", byte(c)) >= 0) {
			t.Errorf("%#x behind %%: %v", c, ok)
		}
	}
}
