package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/heed-robots/heed/crawlers"
)

// A completedShell is a shell that heed writes a completion script for.
type completedShell struct {
	name  string
	setUp []string // the commands that install the script
	write func(root *cobra.Command, to io.Writer) error
}

func shells() []completedShell {
	return []completedShell{
		{"bash", []string{"# for this shell", "source <(heed completion bash)", "# for each new shell",
			"heed completion bash > ~/.heed.bash", "echo '. ~/.heed.bash' >> ~/.bashrc"}, bashCompletion},
		{"fish", []string{"heed completion fish > ~/.config/fish/completions/heed.fish"},
			func(root *cobra.Command, to io.Writer) error { return root.GenFishCompletion(to, true) }},
		{"powershell", []string{"# for this shell", "heed completion powershell | Out-String | Invoke-Expression", "# for each new shell",
			"heed completion powershell >> $PROFILE"},
			(*cobra.Command).GenPowerShellCompletionWithDesc},
		{"zsh", []string{"# for this shell", "source <(heed completion zsh)", "# for each new shell",
			"heed completion zsh > \"${fpath[1]}/_heed\""},
			(*cobra.Command).GenZshCompletion},
	}
}

// Completion returns the completion script for a shell: bash, fish, powershell or zsh.
func Completion(root *cobra.Command, name string) (string, error) {
	for _, s := range shells() {
		if s.name == name {
			var b strings.Builder
			err := s.write(root, &b)
			return b.String(), err
		}
	}
	return "", fmt.Errorf("no completion for %q", name)
}

func (a *app) completionCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "completion",
		Short: "Print a script for tab completion in a shell",
		Long: `Print a script for tab completion in a shell: commands, flags, dialects, known
crawlers and the sites in the cache.`,
		Example: "  source <(heed completion bash)\n  source <(heed completion zsh)",
	}
	for _, s := range shells() {
		c.AddCommand(&cobra.Command{
			Use:     s.name,
			Short:   "Print the script for " + s.name,
			Example: "  " + strings.Join(s.setUp, "\n  "),
			Args:    noArguments,
			RunE:    func(c *cobra.Command, _ []string) error { return s.write(c.Root(), a.out) },

			ValidArgsFunction: cobra.NoFileCompletions,
		})
	}
	return c
}

// bashCompletion writes cobra's script. The script calls functions of the package
// bash-completion, which may not be installed, so they are replaced by bashFunctions.
func bashCompletion(root *cobra.Command, to io.Writer) error {
	var b bytes.Buffer
	if err := root.GenBashCompletionV2(&b, true); err != nil {
		return err
	}
	own := strings.NewReplacer("_get_comp_words_by_ref", "__heed_words", "_filedir", "__heed_files")
	_, err := own.WriteString(to, b.String()+bashFunctions)
	return err
}

const bashFunctions = `
# Sets words to the words of the line up to the cursor. Bash splits COMP_WORDS at ":" and "="
# too, so this joins parts that have no white space between them.
__heed_words()
{
    local rest=${COMP_LINE:0:$COMP_POINT} gap word i
    words=() cword=-1
    for ((i = 0; i <= COMP_CWORD; i++)); do
        gap=${rest%%[![:space:]]*}
        rest=${rest:${#gap}}
        word=${COMP_WORDS[i]}
        ((i == COMP_CWORD)) && word=$rest
        rest=${rest:${#word}}
        if ((cword < 0 || ${#gap} > 0)); then
            words+=("")
            cword=$((cword + 1))
        fi
        words[cword]+=$word
    done
    cur=${words[cword]}
    prev=${words[cword > 0 ? cword - 1 : 0]}
}

# Completes files, or folders with -d.
__heed_files()
{
    local name kind=file
    [[ ${1-} == -d ]] && kind=directory
    while IFS= read -r name; do
        COMPREPLY+=("$name")
    done < <(compgen -A "$kind" -- "$cur")
}
`

// completions registers the completion functions of a command and its subcommands: known
// crawlers for -a, and cached sites for URLs.
func completions(c *cobra.Command) {
	for _, below := range c.Commands() {
		completions(below)
	}
	if c.ValidArgsFunction == nil && strings.Contains(c.Use, "URL") {
		c.ValidArgsFunction = completeOrigins
	}
	if _, has := c.GetFlagCompletionFunc("agent"); !has && c.Flags().Lookup("agent") != nil {
		if err := c.RegisterFlagCompletionFunc("agent", completeCrawlers); err != nil {
			panic(err) // cannot happen: the flag exists and has no function yet
		}
	}
}

// completeCrawlers completes the last crawler of a value of -a: the tokens of known crawlers,
// or after "@" also the sets of known crawlers. For "GPTBot,goo" it returns
// "GPTBot,googlebot" and others.
func completeCrawlers(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	before := typed[:strings.LastIndexByte(typed, ',')+1]
	at := ""
	var words []string
	add := func(name, about string) {
		word := before + name
		if len(word) < len(typed) || !strings.EqualFold(word[:len(typed)], typed) {
			return
		}
		word = typed + word[len(typed):] // shells compare it with the typed letters, so their case stays
		if before == "" {                // after a comma, the script of bash fails with a description
			word += "\t" + about
		}
		words = append(words, word)
	}
	if strings.HasPrefix(typed[len(before):], "@") {
		at = "@"
		add("@known", "all known crawlers")
		for _, p := range crawlers.Purposes() {
			add("@"+string(p), "all known crawlers for "+string(p))
		}
	}
	for c := range crawlers.Known().All() {
		add(at+c.Token, c.Operator)
	}
	return words, cobra.ShellCompDirectiveNoFileComp
}

// A person waits for the completions and reads them, so they are few and come soon.
const (
	completionTimeout = 500 * time.Millisecond
	maxOrigins        = 1000
)

// completeOrigins completes the URL of a site with the cached sites, in the store of --store
// if there is such a flag. An error means no completions, without a message.
func completeOrigins(c *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	where := ""
	if flag := c.Flags().Lookup("store"); flag != nil {
		where = flag.Value.String()
	}
	found := make(chan []string, 1)
	ctx, cancel := context.WithTimeout(context.Background(), completionTimeout)
	defer cancel()
	go func() { found <- originsLike(ctx, where, typed) }()
	select {
	case urls := <-found:
		return urls, cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp // a path may follow
	case <-ctx.Done():
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
}

// completeSources completes the URL of a site, or the name of a file.
func completeSources(c *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	urls, directive := completeOrigins(c, args, typed)
	return urls, directive &^ cobra.ShellCompDirectiveNoFileComp
}

// originsLike returns the sites of a store that begin with the typed text: as URLs, or as
// hosts if the text is the beginning of a host.
func originsLike(ctx context.Context, where, typed string) []string {
	quiet := &app{err: io.Discard}
	store, closeStore, err := quiet.openStore(where, false, nil)
	if err != nil {
		return nil
	}
	defer closeStore()
	var urls []string
	for site, err := range store.Origins(ctx) {
		if ctx.Err() != nil || len(urls) == maxOrigins {
			break
		}
		if err != nil {
			continue // one site cannot be read
		}
		url := site.String() + "/"
		host, isHTTPS := strings.CutPrefix(url, "https://")
		switch {
		case strings.HasPrefix(url, typed):
			urls = append(urls, url)
		case isHTTPS && strings.HasPrefix(host, typed):
			urls = append(urls, host)
		}
	}
	slices.Sort(urls)
	return slices.Compact(urls)
}
