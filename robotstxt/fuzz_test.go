package robotstxt

import (
	"bytes"
	"testing"
)

// seedFiles are the first inputs of fuzzing. They contain everything that differs between
// dialects.
var seedFiles = []string{
	"",
	"user-agent: *\ndisallow: /a\nallow: /a/b\n",
	"User-agent: a/1.0\r\nUser-agent: b\r\rDisallow: /\rAllow: /x$\n\nCrawl-delay: 1\n",
	"\xef\xbb\xbfuseragent: *\ndisalow /%2f?/%2F\nSite-map: x\nallow: /index.html\n",
	"user-agent: * x\ndisallow:\nuser-agent:\ndisallow: *$\nuser-agent: 360\nallow: */\n\x00disallow: /",
	"disallow: /early\nuser-agent: foo-bot_x\n\ndisallow: /\u00e9%c3%A9 b\nallow: /%*%$%24$$\nnoindex: /",
	"user-agent: *\ndisallow: /%3a%5B]%40!%27()%2B,;?:%5b%5D@%21'%28%29+%2c%3B%26%3d%24%2a\n",
}

var seedTargets = []string{"/", "/b?c=%2fdx", "\x00/2", "https://h/a/b?c=/d%2Fe#f", "/%7E%zz%", "?x", "", "/a$*;\u00e9", "/d/", "http://h;p\x00q", "/:[%5d@%21'%28%29+%2c%3b?%3A%5B]%40!%27()%2B,;%26%3D%24%2A"}

func addSeeds(f *testing.F) {
	for _, body := range seedFiles {
		for _, target := range seedTargets {
			f.Add([]byte(body), "foo-bot_x", target)
		}
	}
}

// FuzzParse: Parse never panics, and its groups, rules and lines are in the order of the file.
func FuzzParse(f *testing.F) {
	for _, body := range seedFiles {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, d := range Dialects() {
			file := Parse(body, d)
			last := 0
			for g := range file.Groups() {
				if len(g.Agents) == 0 {
					t.Fatalf("%s: a group without agents", d)
				}
				for _, a := range g.Agents {
					if a.Line <= last {
						t.Fatalf("%s: agent line %d follows line %d", d, a.Line, last)
					}
					last = a.Line
				}
				for _, r := range g.Rules {
					if r.Line <= last || !bytes.Contains(body, []byte(r.Pattern)) {
						t.Fatalf("%s: rule %+v follows line %d", d, r, last)
					}
					last = r.Line
				}
			}
			for line := range file.Lines() {
				_ = line.Notes.String()
			}
			file.Agent("a").Records()
		}
	})
}

// FuzzLossless: the lines of any body, joined, are the body.
func FuzzLossless(f *testing.F) {
	for _, body := range seedFiles {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, d := range Dialects() {
			checkLossless(t, body, d)
		}
	})
}

// FuzzCheck: for any patterns and any URL, Check decides as the oracle does.
func FuzzCheck(f *testing.F) {
	for _, pattern := range []string{"/", "/a*b$", "*2", "/*?x=/%2f", "/index.html", "/%7e%zz", "*$", "", "/\u00e9 \x01"} {
		for _, target := range seedTargets {
			f.Add(pattern, "/a", target)
			f.Add(pattern, "/b?c=/d*x", target)
		}
	}
	f.Fuzz(func(t *testing.T, disallow, allow, target string) {
		body := "user-agent: *\ndisallow: " + disallow + "\nallow: " + allow + "\ndisallow: " + allow + disallow + "\n"
		for _, d := range Dialects() {
			compareWithOracle(t, d, []byte(body), "a", target)
		}
	})
}

// FuzzFile: for any file, agent and URL, Check decides as the oracle does.
func FuzzFile(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, body []byte, agent, target string) {
		for _, d := range Dialects() {
			compareWithOracle(t, d, body, agent, target)
		}
	})
}

func compareWithOracle(t *testing.T, d *Dialect, body []byte, agent, target string) {
	t.Helper()
	name, ok := d.ReadAgent(agent)
	got := Parse(body, d).Agent(agent).Check(target)
	if !ok {
		if got.Allowed || got.Reason != InvalidAgent {
			t.Fatalf("%s: the agent %q gets %+v", d, agent, got)
		}
		return
	}
	allowed, line, ok := oracle(d.String(), body, []string{name}, target)
	if !ok {
		if got.Allowed || got.Reason != InvalidTarget {
			t.Fatalf("%s: the target %q gets %+v", d, target, got)
		}
		return
	}
	compareLookups(t, body, d, agent, target, got)
	CheckSpans(t, Parse(body, d).Agent(agent).Explain(target))
	if got.Allowed != allowed || got.Rule.Line != line {
		t.Fatalf("%s: agent %q, target %q, file %q:\n got %+v\nwant %v, line %d", d, name, target, body, got, allowed, line)
	}
}

// compareLookups checks that a policy decides the same in all its Ways.
func compareLookups(t *testing.T, body []byte, d *Dialect, agent, target string, want Decision) {
	t.Helper()
	for name, p := range Ways(Parse(body, d).Agent(agent)) {
		for range 2 { // a sweep keeps its state for the next decision
			if got := p.Check(target); got != want {
				t.Fatalf("%s: agent %q, target %q, file %q: with %s %+v, without %+v", d, agent, target, body, name, got, want)
			}
		}
	}
}

// FuzzExplain: Check and Explain agree, Explain returns the reasons, and Contrast returns a
// text for any two dialects that do not agree.
func FuzzExplain(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, body []byte, agent, target string) {
		var traces []Trace
		for _, d := range Dialects() {
			p := Parse(body, d).Agent(agent)
			got, trace := p.Check(target), p.Explain(target)
			if got != trace.Decision {
				t.Fatalf("%s: %+v, explained as %+v", d, got, trace.Decision)
			}
			if (got.Reason == ByRule) != (len(trace.Candidates) > 0) {
				t.Fatalf("%s: %s with %d candidates", d, got.Reason, len(trace.Candidates))
			}
			for i, c := range trace.Candidates {
				if (c.Beaten == NotBeaten) != (i == 0) {
					t.Fatalf("%s: candidate %d %s", d, i, c.Beaten)
				}
			}
			CheckSpans(t, trace)
			traces = append(traces, trace)
		}
		for _, a := range traces {
			for _, b := range traces {
				same := a.Decision.Allowed == b.Decision.Allowed && a.Decision.Rule.Line == b.Decision.Rule.Line
				if (Contrast(a, b) == "") != same {
					t.Fatalf("%s and %s: %q", a.Dialect, b.Dialect, Contrast(a, b))
				}
			}
		}
	})
}
