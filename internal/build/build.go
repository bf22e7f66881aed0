// Package build returns the version of Heed in a program.
package build

import (
	"runtime/debug"
	"strings"
	"sync"
)

const module = "github.com/heed-robots/heed"

// Development is the version that is returned if none is known: in a test, or if the program was built in
// a folder without git history.
const Development = "(devel)"

// Version returns the version of Heed in this program, such as "v0.3.0", from the build
// information that Go wrote into the program.
var Version = sync.OnceValue(func() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return Development
	}
	return of(info)
})

// of finds the version of Heed in the build information of a program. The program is Heed itself, or has Heed as a
// dependency. If go.mod replaces Heed, the version of the replacement is returned.
func of(info *debug.BuildInfo) string {
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
