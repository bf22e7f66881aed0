package lintcmd

import (
	"fmt"
	"strings"

	"github.com/heed-robots/heed/cmd/heed/internal/document"
	"github.com/heed-robots/heed/internal/lint"
	"github.com/heed-robots/heed/internal/report"
)

const maxExcerpt = 200 // characters of a line

func (o *lintRun) writeDocument() {
	w := document.New(o.format, o.source.Term.Out)
	w.Begin("What robots.txt gets wrong")
	w.Paragraph(document.Plain(document.Made())...)
	if len(o.all) > 0 {
		w.Paragraph(document.WithOptions(document.Part{Text: o.counts(), IsStrong: true})...)
	}
	var codes []string
	told := map[string]bool{}
	for _, l := range o.inputs {
		w.Heading(l.File)
		if l.remark != "" {
			w.Paragraph(document.Plain(l.remark)...)
		}
		if !l.noFile && len(l.Findings) == 0 {
			w.Paragraph(document.Plain("No findings.")...)
		}
		w.Table([]string{"line", "severity", "what", "the line"}, rowsOf(l.Linted))
		for _, f := range l.Findings {
			if !told[f.Code] {
				told[f.Code] = true
				codes = append(codes, f.Code)
			}
		}
	}
	if len(codes) > 0 {
		w.Heading("What to do")
		var items [][]document.Part
		for _, code := range codes {
			items = append(items, append(document.Code(code), document.WithOptions(document.Part{Text: ": " + lint.RuleOf(code).Fix})...))
		}
		w.List(items...)
	}
	w.End()
}

// sentence ends a text with a full stop, unless the text is cut.
func sentence(text string) string {
	if strings.HasSuffix(text, ".") || strings.HasSuffix(text, "…") {
		return text
	}
	return text + "."
}

func rowsOf(l report.Linted) (rows [][][]document.Part) {
	places := l.Places()
	for i, f := range l.Findings {
		line := ""
		if f.Line > 0 {
			line = fmt.Sprint(f.Line)
		}
		message := []document.Part{{Text: report.MessageOf(f) + " ("}, {Text: f.Code, IsCode: true}, {Text: ")"}}
		if f.Fix != nil {
			kind := "Fix"
			if !f.Fix.Safe {
				kind = "Fix that may change verdicts"
			}
			message = append(message, document.Part{Text: ". " + kind + ": " + sentence(f.Fix.Title)})
		}
		var text []document.Part
		if places[i].Text != "" {
			line, _, _ := markedPart(places[i].Text, f.Column, f.Length, maxExcerpt)
			text = document.Code(line)
		}
		rows = append(rows, [][]document.Part{document.Plain(line), document.Plain(f.Severity.String()), message, text})
	}
	return rows
}
