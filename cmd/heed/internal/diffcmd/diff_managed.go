package diffcmd

import (
	"fmt"
	"slices"
	"strings"

	"github.com/heed-robots/heed/cmd/heed/internal/term"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/internal/report"
)

// printManaged prints what the managed blocks change. A managed block is lines that a CDN adds.
func (o *diff) printManaged(m *report.Managed) {
	if m == nil {
		return
	}
	blocks := blocksInWords(m.Blocks)
	title, it := "Managed block: ", "it"
	if len(blocks) > 1 {
		title, it = "Managed blocks: ", "them"
	}
	o.inputs.Term.PrintHeading(title + printable.Some(blocks, "; "))
	if text := o.tracedInWords(m, it); text != "" {
		o.inputs.Term.PrintAfter("  ", text, 2)
	}
	for _, like := range sameMerged(m.Merged) {
		o.inputs.Term.PrintAfter("  ", o.mergedInWords(like), 2)
	}
}

func blocksInWords(blocks []report.Block) (texts []string) {
	for _, b := range blocks {
		text := fmt.Sprintf("from line %d of the %s file on", b.First, b.File)
		if b.Last > 0 {
			text = fmt.Sprintf("lines %d–%d of the %s file", b.First, b.Last, b.File)
		}
		if b.By != "" {
			text = printable.Text(b.By) + ", " + text
		}
		texts = append(texts, text)
	}
	return texts
}

func (o *diff) tracedInWords(m *report.Managed, blocks string) string {
	switch m.Changes {
	case "all":
		same := fmt.Sprintf("All changes come from %s: without %[1]s, every URL has the same verdict in both files", blocks)
		if len(o.crawlers) > 0 {
			same += ", for the crawlers of -a"
		}
		return same + "."
	case "some":
		if len(m.Others) == 0 {
			return fmt.Sprintf("Some changes come from %s. Without %[1]s, the files differ too.", blocks)
		}
		return fmt.Sprintf("Some changes come from %s, but not all of those for %s.", blocks, o.namesOf(m.Others))
	case "none":
		return fmt.Sprintf("None of the changes below comes from %s.", blocks)
	case "unknown":
		if slices.ContainsFunc(m.Blocks, func(b report.Block) bool { return b.Last == 0 }) {
			return "A block has no END mark. So it is not known which lines belong to it, and which changes come from it."
		}
		return fmt.Sprintf("It could not be decided which changes come from %s.", blocks)
	}
	return ""
}

func sameMerged(all []report.Merged) [][]report.Merged {
	return term.GroupBy(all, func(m report.Merged) string {
		if m.Effect == report.MergedJoined {
			return fmt.Sprint(m.Effect, len(m.Own) > 0)
		}
		return fmt.Sprint(m.Effect, m.Own)
	})
}

func (o *diff) mergedInWords(crawlers []report.Merged) string {
	var agents []report.Agent
	for _, m := range crawlers {
		agents = append(agents, report.Agent{m.Agent})
	}
	names, own := o.namesOf(agents), crawlers[0].Own
	switch {
	case crawlers[0].Effect == report.MergedReplaces:
		return fmt.Sprintf("Only managed groups apply to %s now. The site's own %s.", names, groupsThat("no longer applies", "no longer apply", own))
	case crawlers[0].Effect == report.MergedAdds:
		return fmt.Sprintf("Only managed groups apply to %s: no group of the site itself does.", names)
	case crawlers[0].Effect == report.MergedNothing:
		return fmt.Sprintf("No managed group applies to %s: the site's own %s first.", names, groupsThat("comes", "come", own))
	case len(own) == 0:
		return fmt.Sprintf("The rules after the block continue its last group, so they apply to %s.", names)
	}
	return fmt.Sprintf("The rules of managed groups and those of the site's own groups both apply to %s.", names)
}

func groupsThat(verbForOne, verbForMany string, lines []int) string {
	var numbers []string
	for _, line := range lines {
		numbers = append(numbers, fmt.Sprint(line))
	}
	if len(numbers) == 1 {
		return fmt.Sprintf("group (line %s of the new file) %s", numbers[0], verbForOne)
	}
	return fmt.Sprintf("groups (lines %s of the new file) %s", strings.Join(numbers, ", "), verbForMany)
}
