package main

import (
	"strings"

	temoto "github.com/temoto/robotstxt"

	"github.com/heed-robots/heed/robotstxt"
)

// A library is something that answers for a robots.txt. To add one, write the
// three functions; see temoto's.
type library struct {
	name    string
	version string
	// parse returns a parsed file, or nil where the library refuses it.
	parse func(body []byte) any
	// compile returns what a parsed file says to an agent.
	compile func(file any, agent string) any
	// check reports whether a path with its query, or a URL, is allowed.
	check func(policy any, target string) bool
}

var heed = heedAs(robotstxt.RFC9309)

func heedAs(d *robotstxt.Dialect) library {
	return library{
		name:    "heed",
		version: "this tree",
		parse:   func(body []byte) any { return robotstxt.Parse(body, d) },
		compile: func(file any, agent string) any { return file.(*robotstxt.File).Agent(agent) },
		check:   func(policy any, target string) bool { return policy.(*robotstxt.Policy).Check(target).Allowed },
	}
}

// rivals are the other libraries for Go that a module proxy has.
var rivals = []library{
	{
		name:    "temoto/robotstxt",
		version: "v1.1.2",
		parse: func(body []byte) any {
			file, err := temoto.FromBytes(body)
			if err != nil {
				return nil
			}
			return file
		},
		compile: func(file any, agent string) any { return file.(*temoto.RobotsData).FindGroup(agent) },
		check:   func(policy any, target string) bool { return policy.(*temoto.Group).Test(pathOf(target)) },
	},
}

// pathOf returns the path and query of a URL, which is what temoto asks for.
func pathOf(url string) string {
	_, rest, ok := strings.Cut(url, "://")
	if !ok {
		return url
	}
	i := strings.IndexAny(rest, "/?#")
	if i < 0 {
		return "/"
	}
	path, _, _ := strings.Cut(rest[i:], "#")
	if path == "" || path[0] != '/' {
		path = "/" + path
	}
	return path
}
