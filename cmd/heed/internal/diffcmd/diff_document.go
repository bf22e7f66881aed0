package diffcmd

import (
	"fmt"
	"slices"
	"strings"

	"github.com/heed-robots/heed/cmd/heed/internal/document"
	"github.com/heed-robots/heed/compare"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/internal/report"
)

const (
	maxRows     = 100
	maxUnfolded = 20 // URLs
)

// writeDocument writes HTML or Markdown. If no URLs were compared, f is nil.
func (o *diff) writeDocument(c report.Comparison, f *report.Flips) {
	w := document.New(o.format, o.inputs.Term.Out)
	w.Begin("What a change of robots.txt means")
	w.Paragraph(document.Part{Text: "Old: "}, document.Part{Text: c.Old, IsCode: true}, document.Part{Text: "; new: "}, document.Part{Text: c.New, IsCode: true},
		document.Part{Text: fmt.Sprintf(". Read as %s. %s", o.dialect.InSentence(), document.Made())})
	for _, text := range o.inputs.Remarks {
		w.Paragraph(document.Plain(text)...)
	}
	if f != nil {
		o.flipsDocument(w, c, f)
		for _, text := range o.notesOfFlips(c, f) {
			w.Paragraph(document.Plain(text)...)
		}
		w.End()
		return
	}
	w.Paragraph(document.Strong(o.headline(c) + andPreferences(c) + ".")...)
	for _, text := range o.notesOf(c) {
		w.Paragraph(document.Plain(text)...)
	}
	for _, s := range changedSections(c) {
		o.sectionDocument(w, s)
	}
	var purposes [][]document.Part
	for _, row := range purposeRows(c.Purposes) {
		purposes = append(purposes, document.Plain(row.inWords()))
	}
	if len(purposes) > 0 {
		w.Heading("Known crawlers, by purpose")
		w.List(purposes...)
	}
	o.restDocument(w, c, compare.Undecided, "Not decided")
	if c.Result != compare.Equal.String() {
		o.restDocument(w, c, compare.Equal, provedUnchanged)
	}
	o.preferencesDocument(w, c.Preferences)
	w.End()
}

func (o *diff) notesOf(c report.Comparison) (notes []string) {
	if c.OldTruncated || c.NewTruncated {
		notes = append(notes, "A file is longer than 500 KiB: the rest of it is ignored, and not compared.")
	}
	if c.Incomplete {
		notes = append(notes, incomplete)
	}
	if c.OtherChains {
		notes = append(notes, o.otherChains())
	}
	if c.Managed != nil {
		notes = append(notes, "Managed by others: "+strings.Join(blocksInWords(c.Managed.Blocks), "; ")+".")
	}
	return notes
}

func (o *diff) sectionDocument(w document.Writer, crawlers []report.Compared) {
	c := crawlers[0]
	w.Heading(capitalized(o.allNames(agentsOf(crawlers))))
	for _, sentence := range slices.Concat(sentencesAbout(c, len(crawlers) > 1), o.sameGroupsInWords(crawlers)) {
		w.Paragraph(document.Plain(sentence)...)
	}
	changes := shownChanges(c)
	w.Table(changeColumns, rowsOf(changes[:min(len(changes), maxRows)]))
	if n := len(changes); n > maxRows {
		w.Paragraph(document.Plain(fmt.Sprintf("%d more changes are left out here.", n-maxRows))...)
	}
	if hasMoreURLs(c) {
		w.Paragraph(document.Plain(moreURLs)...)
	}
	if c.Undecided > 0 {
		w.Paragraph(document.Plain(fmt.Sprintf("Not decided for %d more changed rules: that takes too much work.", c.Undecided))...)
	}
}

var changeColumns = []string{"URL", "was", "is"}

func rowsOf(changes []report.Change) (rows [][][]document.Part) {
	for _, change := range changes {
		rows = append(rows, [][]document.Part{document.Code(change.Witness), decisionParts(change.Old), decisionParts(change.New)})
	}
	return rows
}

func decisionParts(d report.Decision) []document.Part {
	verdict := report.Verdict(d.Allowed) + ": "
	if d.Rule == nil {
		return document.Plain(verdict + d.Because())
	}
	return []document.Part{{Text: verdict}, {Text: d.Because(), IsCode: true}}
}

func (o *diff) restDocument(w document.Writer, c report.Comparison, result compare.Outcome, title string) {
	if crawlers := withResult(c, result); len(crawlers) > 0 {
		w.Heading(title)
		w.Paragraph(document.Plain(capitalized(o.allNames(agentsOf(crawlers))) + ".")...)
	}
}

func (o *diff) preferencesDocument(w document.Writer, p *report.ComparedPreferences) {
	if p == nil {
		return
	}
	w.Heading("Preferences about the use of content")
	if p.Is(compare.Equal) {
		w.Paragraph(document.Plain("Proved unchanged, for every URL that may be fetched by both files.")...)
		return
	}
	var rows [][][]document.Part
	for _, c := range p.Changes {
		if c.Old == nil || c.New == nil {
			continue
		}
		rows = append(rows, [][]document.Part{document.Plain(c.Purpose), document.Plain(o.allNames(c.Agents)), document.Code(c.Witness), statedParts(c.Old), statedParts(c.New)})
	}
	w.Table([]string{"purpose", "for", "URL", "was", "is"}, rows)
	if p.More > 0 || len(rows) < len(p.Changes) {
		w.Paragraph(document.Plain("More may change.")...)
	}
}

func statedParts(s *report.Stated) []document.Part {
	preference := fmt.Sprint(s.Preference)
	if len(s.By) == 0 {
		return document.Plain(preference)
	}
	return []document.Part{{Text: preference + ": "}, {Text: fmt.Sprintf("line %d: %s", s.By[0].Line, s.By[0].Text), IsCode: true}}
}

func (o *diff) flipsDocument(w document.Writer, c report.Comparison, f *report.Flips) {
	w.Paragraph(document.Strong(headlineOfFlips(c, f) + ".")...)
	for _, text := range o.lists.leftOutInWords() {
		w.Paragraph(document.Plain(text)...)
	}
	for _, c := range f.Crawlers {
		w.Heading(capitalized(o.allNames(c.Agents)) + ": " + changed(c.Blocked, c.Opened))
		var rows [][][]document.Part
		directories := shownDirectories(c)
		for _, d := range directories[:min(len(directories), maxRows)] {
			name := document.Code(d.Path)
			if d.Path == "" {
				name = document.Plain("(others)")
			}
			rows = append(rows, [][]document.Part{name, document.Plain(fmt.Sprint(d.Blocked)), document.Plain(fmt.Sprint(d.Opened))})
		}
		w.Table([]string{"directory", "disallowed now", "allowed now"}, rows)
		if n := len(directories); n > maxRows {
			w.Paragraph(document.Plain(fmt.Sprintf("%d more directories are left out here.", n-maxRows))...)
		}
		var changes []report.Change
		for _, e := range c.Examples {
			changes = append(changes, report.Change{Witness: e.URL, Old: e.Old, New: e.New})
		}
		if rows := rowsOf(changes); len(rows) > maxUnfolded {
			w.Fold(printable.Counted(len(rows), "URL"), changeColumns, rows)
		} else {
			w.Table(changeColumns, rows)
		}
		if n := notShown(c); n > 0 {
			w.Paragraph(document.WithOptions(document.Part{Text: fmt.Sprintf("… and %d more; --format jsonl has them all.", n)})...)
		}
	}
}
