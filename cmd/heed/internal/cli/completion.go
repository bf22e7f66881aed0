package cli

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/heed-robots/heed/cmd/heed/internal/flags"
	"github.com/heed-robots/heed/cmd/heed/internal/sites"
	"github.com/heed-robots/heed/cmd/heed/internal/term"
	"github.com/spf13/cobra"
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

func completionCommand(a *term.Terminal) *cobra.Command {
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
			Args:    flags.NoArguments,
			RunE:    func(c *cobra.Command, _ []string) error { return s.write(c.Root(), a.Out) },

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
		c.ValidArgsFunction = sites.CompleteOrigins
	}
	if _, has := c.GetFlagCompletionFunc("agent"); !has && c.Flags().Lookup("agent") != nil {
		if err := c.RegisterFlagCompletionFunc("agent", sites.CompleteCrawlers); err != nil {
			panic(err) // cannot happen: the flag exists and has no function yet
		}
	}
}
