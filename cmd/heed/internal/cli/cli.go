// Package cli is the command line of heed. Run takes the arguments and the standard streams, and returns the exit
// status.
package cli

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"

	"github.com/spf13/cobra"

	"github.com/heed-robots/heed/cmd/heed/internal/auditcmd"
	"github.com/heed-robots/heed/cmd/heed/internal/cachecmd"
	"github.com/heed-robots/heed/cmd/heed/internal/checkcmd"
	"github.com/heed-robots/heed/cmd/heed/internal/crawlerscmd"
	"github.com/heed-robots/heed/cmd/heed/internal/diffcmd"
	"github.com/heed-robots/heed/cmd/heed/internal/explaincmd"
	"github.com/heed-robots/heed/cmd/heed/internal/filtercmd"
	"github.com/heed-robots/heed/cmd/heed/internal/flags"
	"github.com/heed-robots/heed/cmd/heed/internal/identitycmd"
	"github.com/heed-robots/heed/cmd/heed/internal/lintcmd"
	"github.com/heed-robots/heed/cmd/heed/internal/servecmd"
	"github.com/heed-robots/heed/cmd/heed/internal/term"
	"github.com/heed-robots/heed/cmd/heed/internal/testcmd"
	"github.com/heed-robots/heed/cmd/heed/internal/watchcmd"
	"github.com/heed-robots/heed/cmd/heed/internal/writecmd"
	"github.com/heed-robots/heed/internal/build"
)

// Run executes a command line and returns the exit status. The first element of args is not the name of the program.
func Run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	a := term.New(stdin, stdout, stderr)
	root := command(a, neededCommands(args), slices.Contains(args, "-h"))
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetErr(a.Err)
	if c, err := root.ExecuteContextC(context.Background()); err != nil {
		a.Name = c.CommandPath()
		a.Complain(err)
	}
	if err := a.Flush(); err != nil {
		a.Complain(err)
	}
	return a.Status
}

// A subcommand is created only when it is needed, because creating all of them is slow.
type subcommand struct {
	name  string
	group string // an element of groups; "": help shows the command after all groups
	make  func(*term.Terminal) *cobra.Command
}

const (
	asking        = "Ask"
	understanding = "Understand"
	writing       = "Write"
	many          = "Many URLs and requests"
	running       = "Run"
)

var groups = []string{asking, understanding, writing, many, running}

var subcommands = []subcommand{
	{"check", asking, checkcmd.Command}, {"explain", asking, explaincmd.Explain}, {"fetch", asking, cachecmd.Fetch}, {"show", asking, explaincmd.Show},
	{"crawlers", understanding, crawlerscmd.Command}, {"diff", understanding, diffcmd.Diff}, {"lint", understanding, lintcmd.Command},
	{"parse", understanding, explaincmd.Parse}, {"prove", understanding, diffcmd.Prove}, {"test", understanding, testcmd.Command},
	{"write", writing, writecmd.Command},
	{"audit", many, auditcmd.Command}, {"compile", many, filtercmd.Compile}, {"filter", many, filtercmd.Filter},
	{"cache", running, cachecmd.Cache}, {"identity", running, identitycmd.Command}, {"serve", running, servecmd.Command}, {"watch", running, watchcmd.Command},
	{"version", "", versionCommand},
}

func neededCommands(args []string) []subcommand {
	if slices.Equal(args, []string{"--version"}) {
		return nil
	}
	for i, s := range subcommands {
		if len(args) > 0 && args[0] == s.name {
			return subcommands[i : i+1]
		}
	}
	return subcommands
}

func command(a *term.Terminal, below []subcommand, isShort bool) *cobra.Command {
	root := &cobra.Command{
		Use:   "heed",
		Short: "Check, explain, test and show what a robots.txt means",
		Long: `heed shows whether a robots.txt allows a crawler to fetch a URL, and which line
decides. It knows the five dialects of the protocol: the standard of 1994, the
drafts of 1996 and 2019, RFC 9309, and Google's parser.

The protocol is a request to crawlers. It does not control access.

Exit status: 0 all allowed (or all passed), 1 some disallowed (or failed),
2 wrong usage or input, 3 heed cannot answer.`,
		Example: `  heed check -a GPTBot,Googlebot https://shop.example/cart
  heed explain -a GPTBot --robots robots.txt https://shop.example/cart
  heed test cases.txt
  heed parse robots.txt
  heed fetch https://shop.example/`,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetOut(a.Out)
	root.PersistentFlags().BoolP("help", "h", false, "show the help; -h shows a short help")
	version := root.Flags().BoolP("version", "v", false, "show the version of heed")
	var colour string
	flags.ColourFlag(root, &colour)
	root.PersistentPreRunE = func(c *cobra.Command, _ []string) error {
		a.Name = c.CommandPath()
		a.SettleColour(colour)
		return nil
	}
	root.SetFlagErrorFunc(flags.FlagError)
	root.SetHelpFunc(func(c *cobra.Command, _ []string) {
		a.SettleColour(colour)
		if name := c.Flags().Arg(0); name != "" && c.HasSubCommands() {
			a.Complain(flags.UnknownCommand(c, name))
			return
		}
		flags.Help(a, c, isShort && c != root)
	})
	for _, title := range groups {
		root.AddGroup(&cobra.Group{ID: title, Title: title})
	}
	for _, s := range below {
		c := s.make(a)
		c.GroupID = s.group
		root.AddCommand(c)
	}
	completions(root)
	root.CompletionOptions.DisableNoDescFlag = true
	root.InitDefaultCompletionCmd()
	root.InitDefaultHelpCmd()
	// cobra would print the version with a template. With templates, the linker must keep every exported method. So
	// the program would be larger.
	root.Args, root.RunE = cobra.ArbitraryArgs, func(c *cobra.Command, args []string) error {
		if *version {
			showVersion(a)
			return nil
		}
		return help(c, args)
	}
	for _, c := range root.Commands() {
		switch {
		case c.Name() == "help":
			c.Short, c.Long = "Show the help of a command", "Show the help of heed, or of one of its commands."
			c.Run, c.RunE = nil, help
		case c.HasSubCommands():
			c.Args, c.RunE = cobra.ArbitraryArgs, help
		}
	}
	return root
}

func help(c *cobra.Command, args []string) error {
	about := c
	if c.Name() == "help" {
		about = c.Root()
	}
	for _, arg := range args {
		i := slices.IndexFunc(about.Commands(), func(below *cobra.Command) bool { return below.Name() == arg })
		if i < 0 {
			return flags.UnknownCommand(about, arg)
		}
		about = about.Commands()[i]
	}
	return about.Help()
}

// Command returns heed for man pages and completions. To run heed, call Run.
func Command() *cobra.Command {
	a := term.New(nil, io.Discard, io.Discard)
	return command(a, subcommands, false)
}

func versionCommand(a *term.Terminal) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Show the version of heed",
		Example: `  heed version`,
		Args:    flags.NoArguments,
		Run:     func(*cobra.Command, []string) { showVersion(a) },
	}
}

func showVersion(a *term.Terminal) {
	fmt.Fprintf(a.Out, "heed %s (%s %s/%s)\n", build.Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
