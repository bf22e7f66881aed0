package robotstxt

import (
	"strings"

	"github.com/heed-robots/heed/internal/ascii"
)

func (d *Dialect) agentName(value string) (name string, everyone bool) {
	switch d.names {
	case substringNames, wholeNames:
		name, _, _ = strings.Cut(value, "/") // without a version
		name = strings.TrimRight(name, ascii.Space)
		return name, name == "*"
	default:
		// "*", alone or followed by white space, means every crawler.
		if value != "" && value[0] == '*' && (len(value) == 1 || ascii.IsSpace(value[1])) {
			return "*", true
		}
		return tokenPrefix(value), false
	}
}

func (f *File) nameAt(line int) (name string, everyone bool) {
	return f.Dialect().agentName(f.agentValue(&f.agentLines[line]))
}

// AgentIn returns the Agent that the dialect reads in a User-agent line, or the zero Agent for any other line.
func (d *Dialect) AgentIn(l Line) Agent {
	if l.Kind != KindUserAgent {
		return Agent{}
	}
	return d.orDefault().agentAt(l.Value, l.Number)
}

func (d *Dialect) agentAt(value string, line int) Agent {
	name, everyone := d.agentName(value)
	return Agent{Value: value, Name: name, Everyone: everyone, Line: line}
}

func (d *Dialect) isNamedBy(value, agent string) bool {
	name, everyone := d.agentName(value)
	if everyone {
		return false
	}
	switch d.names {
	case substringNames:
		return name != "" && ascii.ContainsFold(agent, name)
	case rawAgentNames:
		return ascii.EqualFold(name, agent) // in this dialect, an empty agent equals an empty name
	default:
		return name != "" && ascii.EqualFold(name, agent)
	}
}

// ReadAgent returns the name with which the dialect looks for the groups of an agent. The agent is a product token or a
// User-Agent header. White space around the agent is ignored (S96-9). If the agent contains no name, ok is false.
//
// "*" and NotEveryone are returned unchanged. The Google dialect returns every agent unchanged.
func (d *Dialect) ReadAgent(agent string) (name string, ok bool) {
	d = d.orDefault()
	if d.names == rawAgentNames || agent == NotEveryone {
		return agent, true
	}
	if agent = strings.Trim(agent, ascii.Space); agent == "*" {
		return agent, true
	}
	if isHeader(agent) {
		agent = ProductName(agent)
		if d.names != substringNames && d.names != wholeNames {
			agent = withoutDashedVersion(agent)
		}
	}
	name, everyone := d.agentName(agent)
	if everyone {
		return "", false // "* x" is not the name of a crawler
	}
	return name, name != ""
}

// A product token with a version, such as "bot/1.0", is not a header.
func isHeader(agent string) bool {
	return strings.ContainsAny(agent, "();") || strings.ContainsRune(agent, '/') && strings.ContainsAny(agent, " \t")
}
