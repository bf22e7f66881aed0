package robotstxt

import (
	"strings"

	"github.com/heed-robots/heed/internal/ascii"
)

// agentName reads the value of a User-agent line: the name it gives, and
// whether it means everyone. A value that gives no name names nobody.
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

// AgentIn returns what the dialect reads of a User-agent line; the zero Agent of another
// line.
func (d *Dialect) AgentIn(l Line) Agent {
	if l.Kind != KindUserAgent {
		return Agent{}
	}
	return d.orDefault().agentAt(l.Value, l.Number)
}

// agentAt returns what the User-agent line of a number says by its value.
func (d *Dialect) agentAt(value string, line int) Agent {
	name, everyone := d.agentName(value)
	return Agent{Value: value, Name: name, Everyone: everyone, Line: line}
}

// namedBy reports whether the value of a User-agent line names the agent,
// whose name ReadAgent has read.
func (d *Dialect) namedBy(value, agent string) bool {
	if d.names != substringNames && agent != "" && (value == "" || ascii.Lower(value[0]) != ascii.Lower(agent[0])) {
		return false // so it is nearly always
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

// ReadAgent returns the name that the dialect knows an agent by, who may be
// given as a product token, with a version, or as a whole User-Agent header. White
// space around it is dropped (S96-9). It reports false where it finds no name; Agent
// then denies everything, since a group may well name that crawler. "*" is the
// crawler that no group names. Google takes every string as it comes.
func (d *Dialect) ReadAgent(agent string) (name string, ok bool) {
	d = d.orDefault()
	if d.names == rawAgentNames {
		return agent, true
	}
	if agent = strings.Trim(agent, ascii.Space); agent == "*" {
		return agent, true
	}
	if isHeader(agent) {
		agent = productName(agent)
	}
	name, everyone := d.agentName(agent)
	if everyone {
		return "", false // "* x" is no crawler's name
	}
	return name, name != ""
}

// isHeader reports whether the agent is given as more than one name with a
// version: as a User-Agent header.
func isHeader(agent string) bool {
	return strings.ContainsAny(agent, "();") || strings.ContainsRune(agent, '/') && strings.ContainsAny(agent, " \t")
}

// withoutVersion returns the name in "name/version".
func withoutVersion(s string) string {
	name, _, _ := strings.Cut(s, "/")
	return strings.TrimRight(name, " \t")
}
