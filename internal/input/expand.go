package input

import (
	"os"
	"path/filepath"
	"strings"
)

// Expand replaces patterns such as "*.gz" by file names, as shells do. If no file has the name or matches the pattern, it
// returns errorFor(name, why).
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
