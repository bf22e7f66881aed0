package auditcmd

import (
	"encoding/csv"
	"fmt"
	"strconv"
	"time"

	"github.com/heed-robots/heed/cmd/heed/internal/term"
	"github.com/heed-robots/heed/internal/audit"
	"github.com/heed-robots/heed/internal/printable"
)

var columns = []string{"time", "crawler", "operator", "identity", "identified_by", "proved", "not_proved_because", "method", "host", "target", "status", "address", "user_agent",
	"rule_line", "rule", "in_force_sha256", "in_force_since", "copy_fetched", "copy_status", "copy_sha256", "log", "line"}

func (o *command) startEvidence() {
	var write func(*audit.Finding) error
	switch {
	case o.evidence == "" || o.format == "html":
		return
	case o.format == "text":
		write = o.writeText
	case o.format == "jsonl":
		write = func(f *audit.Finding) error {
			_, err := o.term.Out.Write(append(term.Marshal(f), '\n'))
			return err
		}
	case o.format == "csv":
		w := csv.NewWriter(o.term.Out)
		w.Write(columns) // an error comes again from w.Error
		write = func(f *audit.Finding) error {
			w.Write(csvRecord(f))
			w.Flush()
			return w.Error()
		}
	}
	o.Evidence = func(f *audit.Finding) error {
		if o.onlyProved && !f.Proved {
			return nil
		}
		return write(f)
	}
}

func (o *command) writeText(f *audit.Finding) error {
	verdict := "proved"
	if !f.Proved {
		verdict = "not proved: " + reasons[f.Reason]
	}
	o.term.PrintPainted(term.Bold, printable.Text(f.Crawler), 0)
	o.printExample(f)
	o.term.PrintWrapped(6, 6, verdict)
	return nil
}

// Texts from logs and robots.txt must go through safeCell, because a spreadsheet may open the file.
func csvRecord(f *audit.Finding) []string {
	by, since, fetched, status, copied := "", "", "", "", ""
	if f.By != nil {
		by = identifiedBy(f.By)
	}
	if f.InForce.Since != nil {
		since = f.InForce.Since.Format(time.RFC3339)
	}
	if c := f.Copy; c != nil {
		fetched, status, copied = c.Fetched.Format(time.RFC3339), strconv.Itoa(c.Status), c.SHA256
	}
	return []string{f.Time.Format(time.RFC3339), safeCell(f.Crawler), f.Operator, f.Identity.String(), safeCell(by), strconv.FormatBool(f.Proved), f.Reason, safeCell(f.Method), safeCell(f.Host), safeCell(f.Target),
		strconv.Itoa(f.Status), safeCell(f.Address), safeCell(f.UserAgent), strconv.Itoa(f.Rule.Line), safeCell(f.Rule.Text), f.InForce.SHA256, since, fetched, status, copied, safeCell(f.Log), strconv.Itoa(f.Line)}
}

// A spreadsheet would run a cell such as "=cmd()" as a formula.
func safeCell(s string) string {
	s = printable.Text(s)
	if s != "" && (s[0] == '=' || s[0] == '+' || s[0] == '-' || s[0] == '@') {
		return " " + s
	}
	return s
}

func identifiedBy(by *audit.Identified) string {
	if by.List == "" {
		return "name " + by.Name
	}
	text := "list " + by.List
	if by.Dated != "" {
		text += " of " + by.Dated
	}
	if by.IsLater {
		text += ", which is later than the request"
	}
	if by.Prefix != "" {
		text += ", " + by.Prefix
	}
	if by.Service != "" {
		text += " (" + by.Service + ")"
	}
	return text
}

// The summary goes to standard error, so that the evidence can be piped to other programs (AU-13).
func (o *command) endEvidence(r *audit.Report) {
	var forbidden, proved int64
	for _, row := range r.Crawlers {
		if o.Wants(row.Crawler) {
			forbidden += row.Forbidden
			proved += row.Proved
		}
	}
	text := fmt.Sprintf("%s, %s of them proved", printable.Counted(int(forbidden), "forbidden request"), number(proved))
	if forbidden > 0 && o.format != "text" {
		text += "; the evidence has whole addresses, which are personal data"
	}
	o.term.Notice(text)
	for _, n := range r.Coverage.Notes {
		o.term.Notice("note: " + n)
	}
}
