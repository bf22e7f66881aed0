// Package flags has the parts of flags that several commands need. These are lists of choices, completion, clear
// errors, and help.
package flags

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/heed-robots/heed/crawlers"
	"github.com/heed-robots/heed/internal/address"
	"github.com/heed-robots/heed/internal/asked"
	"github.com/heed-robots/heed/internal/bulk/capture"
	"github.com/heed-robots/heed/internal/saved"
	"github.com/heed-robots/heed/robotstxt"
)

// If defaultDialect is nil, there is no default.
func DialectFlag(c *cobra.Command, value **robotstxt.Dialect, defaultDialect *robotstxt.Dialect, usage string) {
	usage += ": " + strings.Join(asked.DialectNames(), ", ")
	if *value = defaultDialect; defaultDialect != nil {
		usage += " (default " + defaultDialect.String() + ")"
	}
	c.Flags().String("dialect", "", usage)
	Complete(c, "dialect", asked.DialectNames())
	CheckFlag(c, "dialect", func(name string) (err error) {
		if *value = defaultDialect; name != "" {
			*value, err = DialectNamed(name)
		}
		return err
	})
}

// The first choice of FormatFlag is the default.
func FormatFlag(c *cobra.Command, value *string, choices ...string) {
	c.Flags().StringVar(value, "format", choices[0], "output format: "+strings.Join(choices, ", "))
	Choose(c, "format", choices)
}

// The parameter ofWhat is a part of the help, such as "of a FILE".
func ColumnsFlag(c *cobra.Command, value *saved.Columns, ofWhat string) {
	c.Flags().String("columns", "", "columns or JSON members "+ofWhat+", as `NAME=COLUMN,…`, such as origin=host,status=code,body=text; then heed reads no other columns. Names: "+strings.Join(saved.Names(), ", "))
	CheckFlag(c, "columns", func(text string) (err error) {
		if c.Flags().Changed("columns") {
			return errors.New("--columns can only be given once: write all its names in one list, such as origin=host,status=code,body=text")
		}
		if *value, err = saved.ParseColumns(text); err != nil {
			err = fmt.Errorf("--columns %q: %w", text, err)
		}
		return err
	})
}

// Choose limits the values of a flag to its default and the choices.
func Choose(c *cobra.Command, flag string, choices []string) {
	f := c.Flag(flag)
	f.Annotations = map[string][]string{choicesOf: choices}
	otherwise := f.DefValue
	CheckFlag(c, flag, func(value string) error {
		if value == otherwise {
			return nil
		}
		return OneOf(flag, value, choices...)
	})
	Complete(c, flag, choices)
}

func Complete(c *cobra.Command, flag string, choices []string) {
	CompleteBy(c, flag, cobra.FixedCompletions(choices, cobra.ShellCompDirectiveNoFileComp))
}

func CompleteBy(c *cobra.Command, flag string, suggest cobra.CompletionFunc) {
	if err := c.RegisterFlagCompletionFunc(flag, suggest); err != nil {
		panic(err) // a mistake of the caller: c has no such flag, or the flag is completed already
	}
}

// TimeFlag adds a flag whose value is a day, or a time in UTC.
func TimeFlag(c *cobra.Command, name string, to *time.Time, usage string) {
	c.Flags().String(name, "", usage)
	CheckFlag(c, name, func(value string) (err error) {
		if *to, err = capture.ParseTime(value); err != nil {
			err = fmt.Errorf("--%s %w", name, err)
		}
		return err
	})
}

func OneOf(flag, value string, choices ...string) error {
	if slices.Contains(choices, value) {
		return nil
	}
	return fmt.Errorf("--%s %q is unknown; %s", flag, value, Suggestion(value, choices))
}

// For an unknown name, the error lists all names.
func DialectNamed(name string) (*robotstxt.Dialect, error) {
	d, err := robotstxt.DialectNamed(name)
	if err != nil {
		return nil, OneOf("dialect", name, asked.DialectNames()...)
	}
	return d, nil
}

func ColourFlag(root *cobra.Command, value *string) {
	root.PersistentFlags().StringVar(value, "color", colourChoices[0], "use colours: "+strings.Join(colourChoices, ", "))
	Choose(root, "color", colourChoices)
}

var colourChoices = []string{"auto", "always", "never"}

func UnknownCommand(c *cobra.Command, name string) error {
	if !c.HasSubCommands() {
		return fmt.Errorf("%q is no subcommand, because %q has none: leave it out", name, c.CommandPath())
	}
	var names []string
	for _, below := range c.Commands() {
		if below.IsAvailableCommand() {
			names = append(names, below.Name())
		}
	}
	if !c.HasParent() {
		names = append(names, "help")
		slices.Sort(names)
		return fmt.Errorf("unknown command %q; %s", name, cmp.Or(misplacedHint(name), Suggestion(name, names)))
	}
	return fmt.Errorf("unknown command %q for %q; %s", name, c.CommandPath(), Suggestion(name, names))
}

func misplacedHint(name string) string {
	if c, ok := crawlers.Known().Lookup(name); ok {
		return fmt.Sprintf(`for this crawler use "heed check -a %s URL", or "heed crawlers %s"`, c.Token, c.Token)
	}
	if IsURL(name) || address.IsHost(name) {
		return fmt.Sprintf(`for a URL use "heed check -a CRAWLER %s"`, name)
	}
	return ""
}

func NoArguments(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("unexpected argument %q: %s takes only flags, so leave it out", args[0], c.CommandPath())
	}
	return nil
}

const PagesFlag = "pages-unreachable"

// IsURL reports whether an argument is a URL, and not a host, a file or a folder.
func IsURL(where string) bool { return strings.Contains(where, "://") }

// DialectTitles returns the titles of dialects as one text, or "all five dialects".
func DialectTitles(dialects []*robotstxt.Dialect) string {
	if len(dialects) == len(robotstxt.Dialects()) {
		return "all five dialects"
	}
	var titles []string
	for _, d := range dialects {
		titles = append(titles, d.Title())
	}
	return strings.Join(titles, ", ")
}
