package robotstxt

import (
	"strings"

	"github.com/heed-robots/heed/internal/ascii"
)

// agentName returns the name in a User-agent value ("" if none), and whether the value means every crawler.
func (d *Dialect) agentName(value string) (name string, everyone bool) {
	switch d.names {
	case substringNames, wholeNames:
		name = withoutVersion(value)
		return name, name == "*"
	default:
		// "*", alone or followed by white space, means every crawler.
		if value != "" && value[0] == '*' && (len(value) == 1 || ascii.IsSpace(value[1])) {
			return "*", true
		}
		return tokenPrefix(value), false
	}
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

// isNamedBy reports whether the value of a User-agent line names the crawler agent, given as ReadAgent returns it.
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

// isHeader reports whether the agent is a whole User-Agent header. It returns false for a product token, also with a
// version, such as "bot/1.0".
func isHeader(agent string) bool {
	return strings.ContainsAny(agent, "();") || strings.ContainsRune(agent, '/') && strings.ContainsAny(agent, " \t")
}

func withoutVersion(s string) string {
	name, _, _ := strings.Cut(s, "/")
	return strings.TrimRight(name, ascii.Space)
}

// A naming finds the User-agent lines of a file that name one crawler.
type naming struct {
	file   *File
	agents []string // the names of the crawler, as ReadAgent returns them
	// parts[agent][line] is true if the User-agent line names the agent. If parts is nil, namesAgent compares the names.
	parts [][]bool
	// firstBits has the bits (see firstBit) of "*" and of the first bytes of the agents. If all bits are set, first bytes
	// do not matter: mayName always returns true.
	firstBits uint32
}

// In some dialects, "User-agent: bot" names every crawler whose name contains "bot" (S94-6). If the names of a crawler have
// together more than longAgents bytes, a partFinder finds these lines in linear time.
const longAgents = 32

func (f *File) naming(agents []string) naming {
	n := naming{file: f, agents: agents, firstBits: firstBit('*')}
	length := 0
	for _, agent := range agents {
		length += len(agent)
		if agent == "" || f.Dialect().NamesAreParts() {
			n.firstBits = ^uint32(0)
		} else {
			n.firstBits |= firstBit(agent[0])
		}
	}
	if !f.Dialect().NamesAreParts() || len(f.agentLines) == 0 || length <= longAgents {
		return n
	}
	all := newPartFinder(f)
	for _, agent := range agents {
		n.parts = append(n.parts, all.linesNaming(agent))
	}
	return n
}

// firstBit returns a number with one bit set for c. "a" and "A" have the same bit, and some other bytes have this bit too.
func firstBit(c byte) uint32 { return 1 << (c & 31) }

// mayName looks only at the first byte of a User-agent value. If it returns true, call namesAgent to find out.
func (n *naming) mayName(a *agentLine) bool {
	return n.firstBits == ^uint32(0) || a.size > 0 && n.firstBits&firstBit(n.file.body[a.start]) != 0
}

// namesAgent reports whether a User-agent line names an agent. line is an index in agentLines, and agent is an index in
// n.agents.
func (n *naming) namesAgent(line, agent int) bool {
	if n.parts != nil {
		return n.parts[agent][line]
	}
	countSteps(len(n.agents[agent]))
	return n.file.Dialect().isNamedBy(n.file.agentValue(&n.file.agentLines[line]), n.agents[agent])
}

// rank returns the index of the first agent that a line names; len(n.agents) for "*", and len(n.agents)+1 for any other
// line.
func (n *naming) rank(line int) int {
	for agent := range n.agents {
		if n.namesAgent(line, agent) {
			return agent
		}
	}
	if n.isEveryone(line) {
		return len(n.agents)
	}
	return len(n.agents) + 1
}

// groupRank returns the lowest rank of the lines in the group of the given line (an index in agentLines).
func (n *naming) groupRank(line int32) int {
	lines, best := n.file.agentLines, len(n.agents)+1
	for i := int(n.file.openingLine(line)); i < len(lines) && lines[i].group == lines[line].group; i++ {
		best = min(best, n.rank(i))
	}
	return best
}

func (n *naming) isEveryone(line int) bool {
	value := n.file.agentValue(&n.file.agentLines[line])
	if value == "" || value[0] != '*' {
		return false // the usual case: the first byte is not "*"
	}
	_, everyone := n.file.Dialect().agentName(value)
	return everyone
}

// A partFinder finds all names of User-agent lines that occur in a text, in linear time. It is an automaton of Aho and
// Corasick.
type partFinder struct {
	next map[partEdge]int32
	// If no name continues the text of the node with the next byte, the search moves to fall[node]: the node for the
	// longest suffix of this text for which there is a node.
	fall []int32
	// endsAt[line] is the node for the whole name in a User-agent line. It is 0 if the line has no name, or the name "*".
	endsAt []int32
}

type partEdge struct {
	node int32
	b    byte // a byte of a name, in lower case
}

// newPartFinder makes the nodes of short texts first, because grow needs the nodes of all shorter texts.
func newPartFinder(f *File) *partFinder {
	p := &partFinder{next: map[partEdge]int32{}, fall: make([]int32, 1), endsAt: make([]int32, len(f.agentLines))}
	var names []string
	var longer []int // the lines whose names have bytes that were not read yet
	for i := range f.agentLines {
		name, everyone := f.Dialect().agentName(f.agentValue(&f.agentLines[i]))
		names = append(names, name)
		if !everyone && name != "" {
			longer = append(longer, i)
		}
	}
	for length := 0; len(longer) > 0; length++ {
		rest := longer[:0]
		for _, line := range longer {
			p.endsAt[line] = p.grow(p.endsAt[line], ascii.Lower(names[line][length]))
			if length+1 < len(names[line]) {
				rest = append(rest, line)
			}
		}
		longer = rest
	}
	return p
}

// grow returns the node whose text is the text of the given node and the byte b. If there is no such node, grow makes it.
func (p *partFinder) grow(node int32, b byte) int32 {
	countSteps(1)
	edge := partEdge{node, b}
	child, ok := p.next[edge]
	if !ok {
		child = int32(len(p.fall))
		p.fall = append(p.fall, p.step(p.fall[node], b))
		p.next[edge] = child
	}
	return child
}

// step returns the node after reading the byte b. The text of this node is the longest suffix of all bytes read so far with
// which a name begins.
func (p *partFinder) step(node int32, b byte) int32 {
	for {
		countSteps(1)
		if child, ok := p.next[partEdge{node, b}]; ok {
			return child
		}
		if node == 0 {
			return 0
		}
		node = p.fall[node]
	}
}

// linesNaming returns, for each of agentLines, whether the name in the line is a part of agent, the crawler's name.
func (p *partFinder) linesNaming(agent string) []bool {
	found := make([]bool, len(p.fall))
	node := int32(0)
	for i := range len(agent) {
		node = p.step(node, ascii.Lower(agent[i]))
		found[node] = true
	}
	for node := len(found) - 1; node > 0; node-- { // if a text was found, every text with which it ends was found too
		if found[node] {
			found[p.fall[node]] = true
		}
	}
	found[0] = false // node 0 belongs to lines without a name
	named := make([]bool, len(p.endsAt))
	for line, node := range p.endsAt {
		named[line] = found[node]
	}
	return named
}
