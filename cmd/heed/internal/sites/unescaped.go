package sites

import (
	"fmt"
	neturl "net/url"
	"strings"
	"unicode/utf8"

	"github.com/heed-robots/heed/cmd/heed/internal/term"
	"github.com/heed-robots/heed/internal/authority"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/robotstxt"
)

// NoteUnescaped prints a notice if a URL is not escaped. Google's parser escapes the pattern of a rule, but does not
// escape the URL. So "/ö" in a rule does not match "/ö" in the URL (K-8).
func NoteUnescaped(t *term.Terminal, d *robotstxt.Dialect, url string) {
	if d != robotstxt.Google {
		return
	}
	path, _, _ := strings.Cut(authority.After(url), "#")
	for _, r := range path {
		if r >= utf8.RuneSelf && r != utf8.RuneError {
			t.NoticeOnce("unescaped URL", fmt.Sprintf(`note: URL %s: in the dialect google, "%c" does not match "%[2]c" or "%[3]s" in a rule, because Google's parser expects escaped URLs: write %[3]s`, printable.Quote(url), r, neturl.QueryEscape(string(r))))
			return
		}
	}
}
