package auditcmd

import (
	"bufio"
	"bytes"
	"strings"
	"testing"

	"github.com/heed-robots/heed/cmd/heed/internal/term"
	"github.com/heed-robots/heed/internal/audit"
)

// TestMaskedLines (AU-13): a line that could not be read has no whole address, wherever the address is in it.
func TestMaskedLines(t *testing.T) {
	for line, want := range map[string]string{
		`192.0.2.77 - - [broken`:                          `192.0.2.x - - [broken`,
		`{"remote_ip":"192.0.2.77","status":`:             `{"remote_ip":"192.0.2.x","status":`,
		`https 2026-05-03 app 192.0.2.77:4711 10.0.0.1`:   `https 2026-05-03 app 192.0.2.x:4711 10.0.0.x`,
		`x "192.0.2.77, 198.51.100.5"`:                    `x "192.0.2.x, 198.51.100.x"`,
		`[2001:db8:1:2::77]:443 2001:db8:1:2:3:4:5:6`:     `[2001:db8:1:x]:443 2001:db8:1:x`,
		`::ffff:192.0.2.77,`:                              `192.0.2.x,`,
		`[10/Oct/2026:13:55:36 +0000] 1.2.3 10:00:01 f:f`: `[10/Oct/2026:13:55:36 +0000] 1.2.3 10:00:01 f:f`,
	} {
		if got := maskedLine(line); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", line, got, want)
		}
	}
}

// TestMaskedNames (AU-13): the name of an address often has the address in it.
func TestMaskedNames(t *testing.T) {
	for _, format := range []string{"json", "text"} {
		var out bytes.Buffer
		o := &command{term: term.New(nil, &out, &out), format: format}
		o.term.Out = bufio.NewWriter(&out)
		f := &audit.Finding{Address: "192.0.2.77", By: &audit.Identified{Name: "dsl-192-0-2-77.example.net"}}
		o.show(&audit.Report{Crawlers: []*audit.Row{{Crawler: "GPTBot", Forbidden: 1, Telling: []*audit.Finding{f}}}})
		if err := o.term.Out.Flush(); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(out.String(), "77") {
			t.Errorf("%s: %s", format, &out)
		}
	}
}
