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
	if got, err := Comments([]byte(body)); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %v", got, err)
	}
	for _, bad := range []string{"# heed-lint: off tie\n", "# heed-lint: ignore\n", "# heed-lint:\n"} {
		if got, err := Comments([]byte("\n" + bad)); err == nil || err.Error()[:7] != "line 2:" {
			t.Errorf("%q: %v, %v", bad, got, err)
		}
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
		if got := test.c.Hides(test.f); got != test.want {
			t.Errorf("%v hides %v: %v", test.c, test.f, got)
		}
	}
}
