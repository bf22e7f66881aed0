package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/report"
	"github.com/heed-robots/heed/robotstxt"
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
		l.add(appendItem(nil, report.LineOf(line), l.array))
	}
	l.close()
	return nil
}

// show prints a line, and below it what is worth knowing about it.
func (o *parse) show(line robotstxt.Line) {
	raw := visibleLine(line.Raw)
	fmt.Fprintf(o.out, "%5d  %-10s  %s\n", line.Number, line.Kind, raw)
	if remark := report.Remark(line); remark != "" {
		fmt.Fprintf(o.out, "%19s%s\n", "", o.paint(faint, "^ "+visible(remark)))
	}
}
