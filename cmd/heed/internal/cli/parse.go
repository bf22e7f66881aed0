package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/robotstxt"
	"github.com/heed-robots/heed/robotstxt/record"
)

// parse is one run of "heed parse".
type parse struct {
	*app
	dialect, format string
}

func (a *app) parseCommand() *cobra.Command {
	o := &parse{app: a}
	c := &cobra.Command{
		Use:   "parse FILE",
		Short: "Show a robots.txt as heed reads it, line by line",
		Long: `Show a robots.txt as heed reads it: every line with its number, what it is and
what is worth knowing about it. "-" is standard input.`,
		Example: `  heed parse robots.txt
  heed parse --dialect google robots.txt
  heed parse --format json - < robots.txt`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return errors.New(`expected one robots.txt, or "-" for standard input`)
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return o.run(args[0]) },
	}
	dialectFlag(c, &o.dialect, "dialect to read the file in (default rfc9309)")
	formatFlag(c, &o.format, "text", "json", "jsonl")
	return c
}

func (o *parse) run(path string) error {
	if err := oneOf("format", o.format, "text", "json", "jsonl"); err != nil {
		return err
	}
	d, err := dialectNamed(o.dialect)
	if err != nil {
		return err
	}
	body, err := o.readRobots(path)
	switch {
	case errors.Is(err, fetch.NoRobotsTxt): // whoever looks into it may want to see why
		o.notice(err.Error())
	case err != nil:
		return err
	}
	f := robotstxt.Parse(body, d)
	if o.format == "text" {
		for line := range f.Lines() {
			o.show(line)
		}
		return nil
	}
	l := list{w: o.out, array: o.format == "json"}
	for line := range f.Lines() {
		l.add(appendItem(nil, newJSONLine(line), l.array))
	}
	l.close()
	return nil
}

// show prints a line, and below it what is worth knowing about it.
func (o *parse) show(line robotstxt.Line) {
	raw := visible(trimEnd(line.Raw))
	fmt.Fprintf(o.out, "%5d  %-10s  %s\n", line.Number, line.Kind, raw)
	if remark := remarkOf(line); remark != "" {
		fmt.Fprintf(o.out, "%19s%s\n", "", o.paint(faint, "^ "+visible(remark)))
	}
}

// remarkOf says what is worth knowing about a line; "": nothing.
func remarkOf(line robotstxt.Line) string {
	var remarks []string
	if line.Notes != 0 {
		remarks = append(remarks, line.Notes.String())
	}
	record, err := recordOf(line)
	if err != nil {
		remarks = append(remarks, err.Error())
	}
	for _, member := range unreadMembers(record) {
		remarks = append(remarks, fmt.Sprintf("%q cannot be read", member))
	}
	return strings.Join(remarks, "; ")
}

// recordOf returns the typed value of a record that is not of the protocol,
// nil for other lines and for a record that nobody knows.
func recordOf(line robotstxt.Line) (record.Value, error) {
	switch line.Kind {
	case robotstxt.KindSitemap:
		return record.Parse("sitemap", line.Value)
	case robotstxt.KindOther:
		r, err := record.Parse(line.Key, line.Value)
		if errors.Is(err, record.ErrUnknown) {
			return nil, nil
		}
		return r, err
	}
	return nil, nil
}

// jsonLine is a Line as JSON.
type jsonLine struct {
	Number int            `json:"line"`
	Offset int            `json:"offset"`
	Kind   robotstxt.Kind `json:"kind"`
	Key    string         `json:"key,omitempty"`
	Value  string         `json:"value,omitempty"`
	Raw    string         `json:"raw"`
	RawB64 []byte         `json:"raw_b64,omitempty"` // where it is not UTF-8
	Notes  []string       `json:"notes"`
	Record any            `json:"record,omitempty"`
	Error  string         `json:"error,omitempty"` // why the record cannot be read
}

func newJSONLine(line robotstxt.Line) jsonLine {
	raw := newText(line.Raw)
	j := jsonLine{
		Number: line.Number,
		Offset: line.Offset,
		Kind:   line.Kind,
		Key:    newText(line.Key).Text,
		Value:  newText(line.Value).Text,
		Raw:    raw.Text,
		RawB64: raw.B64,
		Notes:  line.Notes.Names(),
	}
	record, err := recordOf(line)
	if err != nil {
		j.Error = err.Error()
	}
	j.Record = newJSONRecord(record)
	return j
}
