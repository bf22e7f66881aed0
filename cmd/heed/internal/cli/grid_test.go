package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/heed-robots/heed/cmd/heed/internal/exit"
)

// A grid shows control characters of a URL as escapes.
func TestGridIsPrintable(t *testing.T) {
	t.Setenv("COLUMNS", "80")
	var out, errors bytes.Buffer
	robots := strings.NewReader("User-agent: *\nDisallow: /x\n")
	status := Run([]string{"check", "-a", "a,b", "--robots", "-", "/\x1b[31m", "/y"}, robots, &out, &errors)
	const want = "URL        a        b\n" + `/\x1b[31m  allowed  allowed` + "\n/y         allowed  allowed\n"
	if status != exit.Allowed || out.String() != want || errors.Len() > 0 {
		t.Errorf("status %d, %s%s", status, out.String(), errors.String())
	}
}
