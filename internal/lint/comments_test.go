package lint

import (
	"reflect"
	"testing"
)

func TestComments(t *testing.T) {
	const body = "# heed-lint: ignore-file no-sitemap tie\r\nUser-agent: *\n#heed-lint:ignore path-start,path-start \nDisallow: x\n" +
		"Disallow: /*$/x # why # heed-lint: ignore dollar-not-last\nDisallow: /heed-lint:x\n# see heed-lint: ignore\nDisallow: /a #"
	want := []Comment{
		{Line: 1, About: 0, Codes: []string{"no-sitemap", "tie"}},
		{Line: 3, About: 4, Codes: []string{"path-start", "path-start"}},
		{Line: 5, About: 5, Codes: []string{"dollar-not-last"}},
	}
	if got := Comments([]byte(body)); !reflect.DeepEqual(got, want) {
		t.Errorf("%v", got)
	}
	for _, test := range []struct {
		c    Comment
		f    Finding
		want bool
	}{
		{want[0], Finding{Code: "tie", Line: 9}, true},
		{want[0], Finding{Code: "path-start", Line: 1}, false},
		{want[1], Finding{Code: "path-start", Line: 4}, true},
		{want[1], Finding{Code: "path-start", Line: 3}, false},
	} {
		if got := Hidden(test.f, []Comment{test.c}); got != test.want {
			t.Errorf("%v hides %v: %v", test.c, test.f, got)
		}
	}
}

// A comment with a mistake is a finding, and turns off what it names rightly.
func TestWrongComments(t *testing.T) {
	checkCases(t, []ruleCase{
		{"right", "# heed-lint: ignore-file tie\n# heed-lint: ignore path-start, tie\nUser-agent: *\n", "ignore-invalid", nil},
		{"no code", "\n # heed-lint: ignore\n", "ignore-invalid", []string{`2:4 [] expected "# heed-lint: ignore CODE" or "# heed-lint: ignore-file CODE"`}},
		{"nothing", "# heed-lint:\n", "ignore-invalid", []string{`1:3 [] expected "# heed-lint: ignore CODE" or "# heed-lint: ignore-file CODE"`}},
		{"another verb", "# heed-lint: off tie\n", "ignore-invalid", []string{`1:3 [] expected "# heed-lint: ignore CODE" or "# heed-lint: ignore-file CODE"`}},
		{"no rule", "Disallow: /a # heed-lint: ignore tie mising-colon\n", "ignore-invalid", []string{`1:38 [] there is no rule "mising-colon"; did you mean missing-colon?`}},
		{"hostile", "# heed-lint: ignore \x1b[31m\n", "ignore-invalid", []string{`1:21 [] there is no rule "\x1b[31m"`}},
	})
	if got, want := Comments([]byte("# heed-lint: off tie\n# heed-lint: ignore tie x\n")), []Comment{{Line: 2, About: 3, Codes: []string{"tie", "x"}}}; !reflect.DeepEqual(got, want) {
		t.Errorf("%v", got)
	}
}
