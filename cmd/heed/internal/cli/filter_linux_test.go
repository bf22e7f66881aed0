package cli_test

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/heed-robots/heed/cmd/heed/internal/cli"
)

// An input may be a pipe, such as <(zcat urls.gz) of a shell: nothing of it is read before it is checked.
func TestFilterPipe(t *testing.T) {
	t.Parallel()
	from, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	fmt.Fprintln(to, "https://blog.example/drafts/1")
	to.Close()
	var stdout, stderr bytes.Buffer
	status := cli.Run([]string{"filter", "-a", "CCBot", "--robots", "../../../../examples/sites", fmt.Sprintf("/dev/fd/%d", from.Fd())}, strings.NewReader(""), &stdout, &stderr)
	if want := "https://blog.example/drafts/1\tdisallowed\trule\t2\tDisallow: /drafts/\n"; status != 0 || stdout.String() != want {
		t.Errorf("status %d, %q, want %q: %s", status, stdout.String(), want, &stderr)
	}
}
