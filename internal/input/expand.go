package input

import (
	"os"
	"path/filepath"
	"strings"
)

// Expand returns the names of inputs, with the files that match in place of a pattern such as "*.gz": shells leave a pattern as it
// is if it is quoted, or if they are those of Windows. A name that is a file is no pattern. refused is called for a name that is
// neither "-", nor there, nor a pattern that matches, and returns why.
func Expand(names []string, refused func(name string, why error) error) (files []string, err error) {
	for _, name := range names {
		_, why := os.Stat(name)
		if name == "-" || why == nil {
			files = append(files, name)
			continue
		}
		var some []string
		if strings.ContainsAny(name, "*?[") {
			some, _ = filepath.Glob(name)
		}
		if len(some) == 0 {
			return nil, refused(name, why)
		}
		files = append(files, some...)
	}
	return files, nil
}
