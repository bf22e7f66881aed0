// Package cli is the command line of heed. Run takes the arguments and the standard streams,
// and returns the exit status.
package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/heed-robots/heed/cmd/heed/internal/exit"
	"github.com/heed-robots/heed/cmd/heed/internal/layout"
	"github.com/heed-robots/heed/cmd/heed/internal/robotsfiles"
	"github.com/heed-robots/heed/crawlers"
	"github.com/heed-robots/heed/internal/asked"
	"github.com/heed-robots/heed/internal/build"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/internal/report"
	"github.com/heed-robots/heed/internal/saved"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

// The exit statuses.
const (
	exitAllowed      = exit.Allowed
	exitDisallowed   = exit.Disallowed
	exitUsage        = exit.Usage
	exitUndetermined = exit.Undetermined
)

// app is one run of the command line.
type app struct {
	in       io.Reader
	out      *bufio.Writer
	err      io.Writer
	tty      bool   // standard output is a terminal
	width    int    // of standard output, in cells
	colour   bool   // of standard output: see settleColour
	errTTY   bool   // standard error is a terminal that can erase a line: progress is shown there
	errWidth int    // of standard error, in cells
	name     string // of the command, such as "heed check"
	status   int

	noticeMu       sync.Mutex // notices come from several goroutines
	screen         *screen    // shows progress
	known          crawlerTable
	bareHostNotice sync.Once // about the first host that is given without a scheme
	misspelt       sync.Map  // the tokens that noteMisspelt has checked
}

// Run executes a command line, without the program's name, and returns its
// exit status.
func Run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	s := &screen{on: stderr}
	a := &app{
		in:       stdin,
		out:      bufio.NewWriterSize(s.above(stdout), 64<<10),
		err:      s.above(stderr),
		screen:   s,
		tty:      isTerminal(stdout),
		width:    widthOf(stdout),
		errTTY:   isTerminal(stderr) && os.Getenv("TERM") != "dumb",
		errWidth: widthOf(stderr),
		name:     "heed",
	}
	root := a.command()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(a.out)
	root.SetErr(a.err)
	if c, err := root.ExecuteContextC(context.Background()); err != nil {
		a.name = c.CommandPath()
		a.complain(err)
	}
	if err := a.out.Flush(); err != nil {
		a.complain(fmt.Errorf("standard output: %w", err))
	}
	return a.status
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// widthOf returns the width of a line in cells: the value of COLUMNS, or the width of the
// terminal, or else 80.
func widthOf(w io.Writer) int {
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	if f, ok := w.(*os.File); ok {
		if n, _, err := term.GetSize(int(f.Fd())); err == nil && n > 0 {
			return n
		}
	}
	return 80
}

func (a *app) command() *cobra.Command {
	root := &cobra.Command{
		Use:   "heed",
		Short: "Check, explain, test and show what a robots.txt means",
		Long: `heed shows whether a robots.txt allows a crawler to fetch a URL, and which line
decides. It knows the five dialects of the protocol: the standard of 1994, the
drafts of 1996 and 2019, RFC 9309, and Google's parser.

The protocol is a request to crawlers. It does not control access.

Exit status: 0 all allowed (or all passed), 1 some disallowed (or failed),
2 wrong usage or input, 3 could not be determined.`,
		Example: `  heed check -a GPTBot,Googlebot https://shop.example/cart
  heed explain -a GPTBot --robots robots.txt https://shop.example/cart
  heed test cases.txt
  heed parse robots.txt
  heed fetch https://shop.example/`,
		Version:       versionText(),
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.PersistentFlags().BoolP("help", "h", false, "show this help")
	root.Flags().BoolP("version", "v", false, "show the version of heed")
	var colour string
	colourFlag(root, &colour)
	root.PersistentPreRunE = func(c *cobra.Command, _ []string) error {
		a.name = c.CommandPath()
		a.settleColour(colour)
		return nil
	}
	root.SetVersionTemplate("heed {{.Version}}\n")
	root.SetFlagErrorFunc(flagError)
	root.SetHelpFunc(func(c *cobra.Command, _ []string) {
		a.settleColour(colour)
		a.help(c)
	})
	root.AddCommand(a.checkCommand(), a.explainCommand(), a.showCommand(), a.diffCommand(), a.proveCommand(), a.testCommand(), a.parseCommand(), a.lintCommand(), a.fetchCommand(), a.filterCommand(), a.compileCommand(), a.serveCommand(), a.cacheCommand(), a.completionCommand(), a.crawlersCommand(), a.versionCommand())
	completions(root)
	root.InitDefaultHelpCmd()
	root.Args, root.RunE = cobra.ArbitraryArgs, help
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

// help shows the help of a command that only has subcommands, or of the command that args
// name. An unknown name is wrong usage.
func help(c *cobra.Command, args []string) error {
	about := c
	if c.Name() == "help" {
		about = c.Root()
	}
	for _, arg := range args {
		i := slices.IndexFunc(about.Commands(), func(below *cobra.Command) bool { return below.Name() == arg })
		if i < 0 {
			return unknownCommand(about, arg)
		}
		about = about.Commands()[i]
	}
	return about.Help()
}

func unknownCommand(c *cobra.Command, name string) error {
	if !c.HasSubCommands() {
		return fmt.Errorf("unknown command %q: %q has no commands", name, c.CommandPath())
	}
	var names []string
	for _, below := range c.Commands() {
		if below.IsAvailableCommand() {
			names = append(names, below.Name())
		}
	}
	if !c.HasParent() {
		if hint := misplaced(name); hint != "" {
			return fmt.Errorf("unknown command %q; %s", name, hint)
		}
	}
	return fmt.Errorf("unknown command %q for %q; %s", name, c.CommandPath(), suggestion(name, names))
}

// misplaced returns a hint if a URL or a crawler is given where a command is expected; "":
// name is neither.
func misplaced(name string) string {
	if c, ok := crawlers.Known().Lookup(name); ok {
		return fmt.Sprintf("for this crawler use heed check -a %s URL, or heed crawlers %s", c.Token, c.Token)
	}
	if isURL(name) || origin.IsHost(name) {
		return "for a URL use heed check -a CRAWLER " + name
	}
	return ""
}

// complain reports an error of the usage or of an input, and sets the exit status. The run may
// go on: other inputs are still answered.
func (a *app) complain(err error) {
	status := exitUsage
	if errors.Is(err, errInterrupted) || errors.Is(err, saved.ErrNoFile) {
		status = exitUndetermined
	}
	a.raise(status)
	a.notice(err.Error())
}

// errInterrupted means that the user interrupted a command before it had all answers.
var errInterrupted = errors.New("interrupted")

// interruptible returns a context that ends at an interrupt (Ctrl-C) or SIGTERM. A second one
// kills the process.
func interruptible() (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// notice prints a text on standard error: on one line, or wrapped at words on a terminal.
func (a *app) notice(text string) {
	a.noticeMu.Lock()
	defer a.noticeMu.Unlock()
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == '\n' }), " ")
	text = fmt.Sprintf("%s: %s", a.name, printable.Text(text))
	if a.errTTY {
		text = layout.Wrap(text, a.errWidth, 2)
	}
	fmt.Fprintln(a.err, text)
}

// raise makes the exit status at least as severe as status.
func (a *app) raise(status int) { a.status = exit.Worse(a.status, status) }

// dialectFlag adds --dialect. Without a name the dialect is otherwise, or nil.
func dialectFlag(c *cobra.Command, value **robotstxt.Dialect, otherwise *robotstxt.Dialect, usage string) {
	usage += ": " + strings.Join(asked.DialectNames(), ", ")
	if *value = otherwise; otherwise != nil {
		usage += " (default " + otherwise.String() + ")"
	}
	c.Flags().String("dialect", "", usage)
	complete(c, "dialect", asked.DialectNames())
	checkFlag(c, "dialect", func(name string) (err error) {
		if *value = otherwise; name != "" {
			*value, err = dialectNamed(name)
		}
		return err
	})
}

// formatFlag adds --format. The first choice is the default.
func formatFlag(c *cobra.Command, value *string, choices ...string) {
	c.Flags().StringVar(value, "format", choices[0], "output format: "+strings.Join(choices, ", "))
	choose(c, "format", choices)
}

// choose makes a flag refuse values other than its default and some choices, which a shell completes.
func choose(c *cobra.Command, flag string, choices []string) {
	otherwise := c.Flag(flag).DefValue
	checkFlag(c, flag, func(value string) error {
		if value == otherwise {
			return nil
		}
		return oneOf(flag, value, choices...)
	})
	complete(c, flag, choices)
}

// complete makes a shell complete the value of a flag.
func complete(c *cobra.Command, flag string, choices []string) {
	err := c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(choices, cobra.ShellCompDirectiveNoFileComp))
	if err != nil {
		panic(err) // c has no such flag: a mistake in this package
	}
}

// oneOf returns an error if the value of a flag is not one of its choices.
func oneOf(flag, value string, choices ...string) error {
	if slices.Contains(choices, value) {
		return nil
	}
	return fmt.Errorf("--%s %q is unknown; %s", flag, value, suggestion(value, choices))
}

// dialectNamed returns the dialect that --dialect names.
func dialectNamed(name string) (*robotstxt.Dialect, error) {
	d, err := robotstxt.DialectNamed(name)
	if err != nil {
		return nil, oneOf("dialect", name, asked.DialectNames()...)
	}
	return d, nil
}

// readRobots reads a robots.txt as readRaw does, and returns it as UTF-8: it is decoded as if a server
// had sent it. A file that can be no robots.txt, such as an image, is a fetch.NoRobotsTxt error; the
// text is returned too.
//
// It prints a notice if the file is longer than what crawlers use of a site's, and the dialect has no
// such limit.
func (a *app) readRobots(name string, d *robotstxt.Dialect) ([]byte, error) {
	body, err := a.readRaw(name)
	if err != nil {
		return nil, err
	}
	body, err = a.decode(body, name)
	if d == robotstxt.Google && report.InputOf(name, robotstxt.Parse(body, nil)).Truncated {
		a.notice(fmt.Sprintf("note: %s is longer than 500 KiB; with --dialect google a file is read whole, as Google's parser does, but Google's crawlers use 500 KiB of it", name))
	}
	return body, err
}

// decode returns a robots.txt as UTF-8, and prints a notice if it is in another encoding.
func (a *app) decode(body []byte, name string) ([]byte, error) {
	text, encoding, err := robotsfiles.Decode(body, name)
	if encoding != "" {
		a.notice(robotsfiles.EncodingNotice(name, encoding))
	}
	return text, err
}

// readRaw reads a robots.txt as it is, from a file, a pipe, or git:REV:PATH; "-" is standard input.
func (a *app) readRaw(name string) ([]byte, error) {
	if isGit(name) {
		return a.readGit(name)
	}
	var body []byte
	var err error
	if name == "-" {
		body, err = saved.Read(a.in, name)
	} else {
		body, err = saved.ReadOpened(name)
	}
	if err != nil {
		return nil, fmt.Errorf("robots.txt: %w", err)
	}
	return body, nil
}

// openInput opens a file; "-" is standard input.
func (a *app) openInput(name string) (io.ReadCloser, error) {
	if name == "-" {
		return io.NopCloser(a.in), nil
	}
	return os.Open(name)
}

const standardInput = "standard input"

// inputName returns the name of an input in output.
func inputName(name string) string {
	if name == "-" {
		return standardInput
	}
	return name
}

// readGit reads git:REV:PATH, until the user interrupts it.
func (a *app) readGit(name string) ([]byte, error) {
	ctx, stop := interruptible()
	defer stop()
	body, err := readGit(ctx, name)
	if ctx.Err() != nil {
		return nil, errInterrupted
	}
	return body, err
}

// Command returns the command heed with its subcommands, to generate man pages and
// completions. To run heed, use Run.
func Command() *cobra.Command {
	a := &app{out: bufio.NewWriter(io.Discard), err: io.Discard, width: 80, name: "heed"}
	return a.command()
}

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Show the version of heed",
		Example: `  heed version`,
		Args:    noArguments,
		Run:     func(*cobra.Command, []string) { fmt.Fprintf(a.out, "heed %s\n", versionText()) },
	}
}

// versionText returns the version, with the Go release and the platform of the build.
func versionText() string {
	return fmt.Sprintf("%s (%s %s/%s)", build.Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
