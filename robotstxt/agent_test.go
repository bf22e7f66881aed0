package robotstxt

import "testing"

// The version behind "-" in a header is no part of the name that a group has to name. A bare
// agent is read as a line is, so that a line with the same text names it.
func TestR2DashedVersion(t *testing.T) {
	f := ParseString("User-agent: nutch\nDisallow: /\n", nil)
	for agent, want := range map[string]bool{"nutch-1.4 (+https://example.com/)": false, "nutch/1.4": false, "nutch": false, "other-1.4 (x)": true} {
		if got := f.Agent(agent).Check("/x").Allowed; got != want {
			t.Errorf("%q: allowed %v, want %v", agent, got, want)
		}
	}
	if name, ok := RFC9309.ReadAgent("Mozilla/5 ExampleBot/1"); name != "ExampleBot" || !ok {
		t.Errorf("a header without a comment is read as %q, %v", name, ok)
	}
	f = ParseString("User-agent: nutch-1.4\nDisallow: /\n", nil)
	if f.Agent("nutch-1.4").Check("/x").Allowed {
		t.Error("nutch-1.4: allowed, though a line has this name")
	}
}
