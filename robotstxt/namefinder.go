package robotstxt

import "github.com/heed-robots/heed/internal/ascii"

// A nameFinder finds the User-agent lines of a file that name one crawler, which may have several names.
type nameFinder struct {
	file   *File
	agents []string
	// parts[agent][line] is true if the User-agent line names the agent. If parts is nil, namesAgent compares the names.
	parts [][]bool
	// firstBits has one bit for the first byte of each name and of "*". Most lines are skipped, because their bit is not set.
	firstBits uint32
}

// In some dialects, "User-agent: bot" names every crawler whose name contains "bot" (S94-6). To compare long names with
// many lines would take too long. So a partFinder finds the lines if a crawler's names have more than longAgents bytes.
const longAgents = 32

func (f *File) nameFinder(agents []string) nameFinder {
	n := nameFinder{file: f, agents: agents, firstBits: firstBit('*')}
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

// firstBit is the same for "a" and "A", because letter case does not matter.
func firstBit(c byte) uint32 { return 1 << (c & 31) }

// mayName compares only first bytes. If it returns false, the line names neither the crawler nor "*".
func (n *nameFinder) mayName(a *agentLine) bool {
	return n.firstBits == ^uint32(0) || a.size > 0 && n.firstBits&firstBit(n.file.body[a.start]) != 0
}

func (n *nameFinder) namesAgent(line, agent int) bool {
	if n.parts != nil {
		return n.parts[agent][line]
	}
	countSteps(len(n.agents[agent]))
	return n.file.Dialect().isNamedBy(n.file.agentValue(&n.file.agentLines[line]), n.agents[agent])
}

func (n *nameFinder) rank(line int) int {
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

func (n *nameFinder) groupRank(line int32) int {
	lines, best := n.file.agentLines, len(n.agents)+1
	for i := int(n.file.openingLine(line)); i < len(lines) && lines[i].group == lines[line].group; i++ {
		best = min(best, n.rank(i))
	}
	return best
}

func (n *nameFinder) isEveryone(line int) bool {
	if value := n.file.agentValue(&n.file.agentLines[line]); value == "" || value[0] != '*' {
		return false // the usual case
	}
	_, everyone := n.file.nameAt(line)
	return everyone
}

// A partFinder is an Aho-Corasick automaton: it finds all names of User-agent lines that occur in a text, in linear time.
type partFinder struct {
	next map[partEdge]int32
	// If no name continues with the next byte, the search continues at fall[node]. Some suffixes of the text have a
	// node; fall[node] is the node of the longest such suffix.
	fall []int32
	// endsAt[line] is the node for the whole name in a User-agent line. It is 0 if the line has no name, or if its name is
	// "*".
	endsAt []int32
}

type partEdge struct {
	node int32
	b    byte // in lower case
}

// newPartFinder makes the nodes of short texts first, because a new node needs the nodes of all shorter texts.
func newPartFinder(f *File) *partFinder {
	p := &partFinder{next: map[partEdge]int32{}, fall: make([]int32, 1), endsAt: make([]int32, len(f.agentLines))}
	var names []string
	var unfinished []int
	for i := range f.agentLines {
		name, everyone := f.nameAt(i)
		names = append(names, name)
		if !everyone && name != "" {
			unfinished = append(unfinished, i)
		}
	}
	for length := 0; len(unfinished) > 0; length++ {
		rest := unfinished[:0]
		for _, line := range unfinished {
			p.endsAt[line] = p.addChild(p.endsAt[line], ascii.Lower(names[line][length]))
			if length+1 < len(names[line]) {
				rest = append(rest, line)
			}
		}
		unfinished = rest
	}
	return p
}

func (p *partFinder) addChild(node int32, b byte) int32 {
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

func (p *partFinder) linesNaming(agent string) []bool {
	found := make([]bool, len(p.fall))
	node := int32(0)
	for i := range len(agent) {
		node = p.step(node, ascii.Lower(agent[i]))
		found[node] = true
	}
	for node := len(found) - 1; node > 0; node-- { // a text ends with the text of its fall node, so that text occurs too
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
