package diffcmd

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/heed-robots/heed/cmd/heed/internal/sites"
	"github.com/heed-robots/heed/cmd/heed/internal/term"
)

// The number of errors is the true number, although only the first ones are listed.
func TestManyUnreadSitemaps(t *testing.T) {
	var notices bytes.Buffer
	l := &lists{live: &sites.Live{Term: &term.Terminal{Err: &notices}}}
	for i := range 150 {
		l.reject(fmt.Errorf("index.xml:%d: %w", i, errors.New("missing")))
	}
	l.printNotices()
	if got := notices.String(); !strings.Contains(got, "150 errors while heed read the sitemaps; the first 20:\n") || strings.Count(got, "missing") != 20 {
		t.Error(got)
	}
	text := strings.Join(l.leftOutInWords(), " ")
	if !strings.HasPrefix(text, "Some URLs were not compared, because of 150 errors while heed read the sitemaps: index.xml:0: missing; ") || !strings.HasSuffix(text, "; and 130 more.") {
		t.Error(text)
	}
}
