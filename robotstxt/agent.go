package robotstxt

import (
	"strings"

	"github.com/heed-robots/heed/internal/ascii"
)

// agentName returns the name in the value of a User-agent line, and whether the
// value means every crawler. The name is empty if the value names no crawler.
func (d *Dialect) agentName(value string) (name string, everyone bool) {
	switch d.names {
	case substringNames, wholeNames:
		name = withoutVersion(value)
		return name, name == "*"
	default:
		// "*" alone or followed by white space.
		if value != "" && value[0] == '*' && (len(value) == 1 || ascii.IsSpace(value[1])) {
			return "*", true
		}
		return tokenPrefix(value), false
	}
}

// AgentIn returns what the dialect reads in a User-agent line. For any other line it
// returns the zero Agent.
func (d *Dialect) AgentIn(l Line) Agent {
	if l.Kind != KindUserAgent {
		return Agent{}
	}
	return d.orDefault().agentAt(l.Value, l.Number)
}

// agentAt returns the Agent for the value of a User-agent line.
func (d *Dialect) agentAt(value string, line int) Agent {
	name, everyone := d.agentName(value)
	return Agent{Value: value, Name: name, Everyone: everyone, Line: line}
}

// namedBy reports whether the value of a User-agent line names the agent. The agent is
// a name that ReadAgent returned.
func (d *Dialect) namedBy(value, agent string) bool {
	if d.names != substringNames && agent != "" && (value == "" || ascii.Lower(value[0]) != ascii.Lower(agent[0])) {
		return false // the usual case, decided quickly
	}
	name, everyone := d.agentName(value)
	if everyone {
		return false
	}
	switch d.names {
	case substringNames:
		return name != "" && ascii.ContainsFold(agent, name)
	case rawAgentNames:
		return ascii.EqualFold(name, agent) // an empty agent equals an empty name
	default:
		return name != "" && ascii.EqualFold(name, agent)
	}
}

// ReadAgent returns the name with which the dialect looks for the groups of an agent.
// The agent may be a product token, with or without a version, or a whole User-Agent
// header. White space around it is ignored (S96-9). ok is false if the agent contains no
// name. File.Agent then disallows everything, because a group may name that crawler.
// "*" is a crawler that no group names, and NotEveryone stays as it is. Google uses every string unchanged.
func (d *Dialect) ReadAgent(agent string) (name string, ok bool) {
	d = d.orDefault()
	if d.names == rawAgentNames || agent == NotEveryone {
		return agent, true
	}
	if agent = strings.Trim(agent, ascii.Space); agent == "*" {
		return agent, true
	}
	if isHeader(agent) {
		agent = productName(agent)
		if d.names != substringNames && d.names != wholeNames {
			agent = withoutDashedVersion(agent)
		}
	}
	name, everyone := d.agentName(agent)
	if everyone {
		return "", false // "* x" is no crawler's name
	}
	return name, name != ""
}

// isHeader reports whether the agent is a User-Agent header: more than a name with a
// version.
func isHeader(agent string) bool {
	return strings.ContainsAny(agent, "();") || strings.ContainsRune(agent, '/') && strings.ContainsAny(agent, " \t")
}

// withoutVersion returns the name in "name/version".
func withoutVersion(s string) string {
	name, _, _ := strings.Cut(s, "/")
	return strings.TrimRight(name, ascii.Space)
}
