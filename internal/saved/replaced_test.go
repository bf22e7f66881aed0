package saved

import (
	"testing"
	"time"

	"github.com/heed-robots/heed/origin"
)

// Of the lines about a site, those hold that an archive in memory would use too: the last line of a time, and none
// without a time next to one with a time.
func TestReplaced(t *testing.T) {
	o, err := origin.Parse("https://a.example")
	if err != nil {
		t.Fatal(err)
	}
	for years, want := range map[string]string{ // 0: no time
		"1": "", "0": "", "12": "", "21": "", "11": "1", "00": "1", "000": "12", "01": "1", "10": "2", "0101": "123", "1220": "24", "121": "", "0210": "14",
	} {
		var r Replaced
		for i, year := range years {
			a := Answer{Origin: o}
			if year != '0' {
				a.At = time.Date(2000+int(year-'0'), 1, 1, 0, 0, 0, 0, time.UTC)
			}
			r.Add(i+1, &a)
		}
		got := ""
		for i := range years {
			if r.Lines[i+1] {
				got += string(rune('1' + i))
			}
		}
		if got != want {
			t.Errorf("%s: replaced are %q, want %q", years, got, want)
		}
	}
}
