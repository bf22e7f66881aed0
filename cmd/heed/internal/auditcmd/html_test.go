package auditcmd

import (
	"bufio"
	"strings"
	"testing"
	"time"

	"github.com/heed-robots/heed/internal/audit"
)

// The charts of all crawlers have the same days, so that they can be compared.
// A phone shrinks the chart, and nobody could read a text in it. So its days are in the caption.
func TestChartHasNoText(t *testing.T) {
	day := time.Date(2026, 5, 3, 14, 0, 0, 0, time.UTC)
	n := day.Unix() / 86400
	for _, test := range []struct {
		days int
		want string
	}{
		{0, ""}, // one bar shows nothing
		{9, "Forbidden requests of each day from 2026-05-03 to 2026-05-12; the highest bar is 7;"},
		{299, "Forbidden requests of each 3 days from 2026-05-03 to 2027-02-26; the highest bar is 7;"},
	} {
		var b strings.Builder
		p := &page{Writer: bufio.NewWriter(&b)}
		one := &audit.Row{First: day, Last: day, Days: map[int64]*audit.Day{n: {Requests: 9, Forbidden: 7, Proved: 2}}}
		p.setDays([]*audit.Row{one, {First: day, Last: day.AddDate(0, 0, test.days)}})
		p.writeChart(one)
		p.Flush()
		chart, caption, _ := strings.Cut(b.String(), "<figcaption>")
		if strings.Contains(chart, "<text") || !strings.HasPrefix(caption, test.want) || (chart == "") != (test.want == "") {
			t.Errorf("%s", b.String())
		}
	}
}
