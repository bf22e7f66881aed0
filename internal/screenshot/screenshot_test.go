package screenshot

import (
	"encoding/xml"
	"io"
	"strings"
	"testing"
)

// Each text is drawn in its style, at the position of its cells. The SVG is well-formed XML.
func TestSVG(t *testing.T) {
	got := SVG("\x1b[1mA <b>\x1b[0m \x1b[31;4m漢\x1b[24mx\x1b[39m\n\x1b[2mfaint\n  still\x1b[22m\n\n", 0, Auto)
	for _, want := range []string{
		`<text x="14" y="28" textLength="40" class="b">A &lt;b&gt;</text>`,
		`<text x="62" y="28" textLength="16" class="u c1">漢</text>`,
		`<text x="78" y="28" textLength="8" class="c1">x</text>`,
		`<text x="14" y="47" textLength="40" class="f">faint</text>`,
		`<text x="14" y="66" textLength="56" class="f">  still</text>`,
		`width="100" height="85"`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
	d := xml.NewDecoder(strings.NewReader(got))
	for {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
}
