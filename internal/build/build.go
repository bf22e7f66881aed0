// Package build returns the version of Heed in a program.
package build

import (
	"runtime/debug"
	"strings"
	"sync"
)

const module = "github.com/heed-robots/heed"

// Development is the result of Version if the version is unknown, for example in a test.
const Development = "(devel)"

// Version returns the version of Heed in this program, such as "v0.3.0".
var Version = sync.OnceValue(func() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return Development
	}
	return versionIn(info)
})

func versionIn(info *debug.BuildInfo) string {
	modules := append([]*debug.Module{&info.Main}, info.Deps...)
	for _, m := range modules {
		if m.Path != module {
			continue
		}
		if m.Replace != nil {
			m = m.Replace
		}
		if m.Version != "" {
			return m.Version
		}
	}
	return Development
}

// UserAgent returns the User-Agent header of Heed itself.
func UserAgent() string { return userAgent(Version()) }

func userAgent(version string) string {
	name := "heed"
	if number, ok := strings.CutPrefix(version, "v"); ok {
		name += "/" + number
	}
	return name + " (+https://" + module + ")"
}
