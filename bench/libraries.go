package main

import (
	"strings"

	temoto "github.com/temoto/robotstxt"

	"github.com/heed-robots/heed/robotstxt"
)

// A library is a parser of robots.txt. To add one, write the three functions, as for temoto.
type library struct {
	name    string
	version string
	// parse returns a parsed file, or nil if the library refuses it.
	parse func(body []byte) any
	// compile returns the policy of a parsed file for an agent.
	compile func(file any, agent string) any
	// check reports whether a path with its query, or a URL, is allowed.
	check func(policy any, target string) bool
}

var heed = heedAs(robotstxt.RFC9309)

// heedAs returns Heed with a dialect.
func heedAs(d *robotstxt.Dialect) library {
	return library{
		name:    "heed",
		version: "this tree",
		parse:   func(body []byte) any { return robotstxt.Parse(body, d) },
		compile: func(file any, agent string) any { return file.(*robotstxt.File).Agent(agent) },
		check:   func(policy any, target string) bool { return policy.(*robotstxt.Policy).Check(target).Allowed },
	}
}

// rivals are other libraries for Go.
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

// pathOf returns the path and query of a URL, which temoto expects.
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
