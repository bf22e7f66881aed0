package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/heed-robots/heed/cmd/heed/internal/flags"
)

// root is the root folder of the repository, seen from this package. The test of its
// package runs the code blocks of README.md and docs.
const root = "../../../.."

// The help names the glossary, and the glossary exists.
func TestHelpNamesGlossary(t *testing.T) {
	help, _, _ := run(t, "", "help")
	if !strings.HasSuffix(help, "\n"+flags.Glossary+"\n") {
		t.Errorf("no %s in %s", flags.Glossary, help)
	}
	file := strings.TrimPrefix(flags.Glossary, "https://github.com/heed-robots/heed/blob/main/")
	if _, err := os.Stat(filepath.Join(root, file)); err != nil {
		t.Error(err)
	}
}
