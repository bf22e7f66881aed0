package robotstxt

import (
	"cmp"
	"slices"

	"github.com/heed-robots/heed/internal/ascii"
)

// namesInOrder has the User-agent lines of a file, as indexes in File.agentLines.
type namesInOrder struct {
	file     *File
	withName []int32 // sorted by name in any letter case; equal names are in file order
	everyone []int32 // the lines with "*", in file order
}

// Sorting takes as long as several searches. So only a file with more than manyAgentLines User-agent lines gets
// namesInOrder, and only after fewChoices calls of File.choose.
const (
	manyAgentLines = 64
	fewChoices     = 16
)

// namesInOrder returns nil in the first calls, and if the file has few User-agent lines.
func (f *File) namesInOrder() *namesInOrder {
	if !f.mayHaveNames() {
		return nil
	}
	names := f.orderedNames.Load()
	if names == nil && f.choiceCount.Add(1) > fewChoices {
		names = newNamesInOrder(f)
		f.orderedNames.Store(names)
	}
	return names
}

func (f *File) mayHaveNames() bool {
	return len(f.agentLines) > manyAgentLines && !f.Dialect().NamesAreParts()
}

func newNamesInOrder(f *File) *namesInOrder {
	n := &namesInOrder{file: f}
	for i := range f.agentLines {
		switch name, everyone := f.nameAt(i); {
		case everyone:
			n.everyone = append(n.everyone, int32(i))
		case name != "" || f.Dialect().names == rawAgentNames: // in this dialect, an empty agent equals an empty name
			n.withName = append(n.withName, int32(i))
		}
	}
	slices.SortFunc(n.withName, func(a, b int32) int {
		nameA, _ := f.nameAt(int(a))
		nameB, _ := f.nameAt(int(b))
		return cmp.Or(ascii.Compare(nameA, nameB), cmp.Compare(a, b))
	})
	return n
}

func (n *namesInOrder) linesNaming(agent string) []int32 {
	compare := func(line int32, agent string) int {
		name, _ := n.file.nameAt(int(line))
		return ascii.Compare(name, agent)
	}
	start, _ := slices.BinarySearchFunc(n.withName, agent, compare)
	end := start
	for end < len(n.withName) && compare(n.withName[end], agent) == 0 {
		end++
	}
	return n.withName[start:end]
}

// choose returns the same result as File.choose, but by binary search.
func (n *namesInOrder) choose(chosen []int32, agents []string) []int32 {
	lines, isNamed := n.everyone, false
	for _, agent := range agents {
		if named := n.linesNaming(agent); len(named) > 0 {
			lines, isNamed = named, true
			break
		}
	}
	last := int32(-1)
	for _, line := range lines {
		group := n.file.agentLines[line].group
		if group == last {
			continue
		}
		if last = group; len(chosen) > 0 && !n.file.Dialect().mergesGroups(isNamed) {
			break
		}
		chosen = append(chosen, line)
	}
	return chosen
}
