package input

import (
	"os"
	"path/filepath"
	"strings"
)

// Expand replaces patterns such as "*.gz" in a list of names by the names of the files that match. Shells do this too,
// but not for patterns in quotation marks, and not on Windows. "-" and the names of existing files are never patterns.
// If a name matches no file, Expand returns the result of errorFor.
func Expand(names []string, errorFor func(name string, why error) error) (files []string, err error) {
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
			return nil, errorFor(name, why)
		}
		files = append(files, some...)
	}
	return files, nil
}
