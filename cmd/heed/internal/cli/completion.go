package cli

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/heed-robots/heed/crawlers"
)

// A completedShell is one that heed can write a completion for.
type completedShell struct {
	name  string
	setUp []string // what makes it complete, in the words of the shell
	write func(root *cobra.Command) (string, error)
}

func shells() []completedShell {
	return []completedShell{
		{"bash", []string{"# for this shell", "source <(heed completion bash)", "# for each new shell",
			"heed completion bash > ~/.heed.bash", "echo '. ~/.heed.bash' >> ~/.bashrc"}, bashCompletion},
		{"fish", []string{"heed completion fish > ~/.config/fish/completions/heed.fish"},
			generated(func(root *cobra.Command, b *bytes.Buffer) error { return root.GenFishCompletion(b, true) })},
		{"powershell", []string{"# for this shell", "heed completion powershell | Out-String | Invoke-Expression", "# for each new shell",
			"heed completion powershell >> $PROFILE"},
			generated(func(root *cobra.Command, b *bytes.Buffer) error { return root.GenPowerShellCompletionWithDesc(b) })},
		{"zsh", []string{"# for this shell", "source <(heed completion zsh)", "# for each new shell",
			"heed completion zsh > \"${fpath[1]}/_heed\""},
			generated(func(root *cobra.Command, b *bytes.Buffer) error { return root.GenZshCompletion(b) })},
	}
}

func generated(write func(*cobra.Command, *bytes.Buffer) error) func(*cobra.Command) (string, error) {
	return func(root *cobra.Command) (string, error) {
		var b bytes.Buffer
		err := write(root, &b)
		return b.String(), err
	}
}

// Completion returns the completion of heed for a shell: bash, fish, powershell or zsh.
func Completion(root *cobra.Command, name string) (string, error) {
	for _, s := range shells() {
		if s.name == name {
			return s.write(root)
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
			RunE: func(c *cobra.Command, _ []string) error {
				script, err := s.write(c.Root())
				fmt.Fprint(a.out, script)
				return err
			},
			ValidArgsFunction: cobra.NoFileCompletions,
		})
	}
	return c
}

// bashCompletion is cobra's, with functions of its own in the place of those that the
// package bash-completion has.
func bashCompletion(root *cobra.Command) (string, error) {
	var b bytes.Buffer
	if err := root.GenBashCompletionV2(&b, true); err != nil {
		return "", err
	}
	own := strings.NewReplacer("_get_comp_words_by_ref", "__heed_words", "_filedir", "__heed_files")
	return own.Replace(b.String()) + bashFunctions, nil
}

const bashFunctions = `
# The words of the line up to the cursor: bash has parted them at ":" and "=" too.
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

# Files, or folders with -d.
__heed_files()
{
    local name kind=file
    [[ ${1-} == -d ]] && kind=directory
    while IFS= read -r name; do
        COMPREPLY+=("$name")
    done < <(compgen -A "$kind" -- "$cur")
}
`

// completions makes the arguments of commands complete: crawlers, and the sites that are
// remembered.
func completions(c *cobra.Command) {
	for _, below := range c.Commands() {
		completions(below)
	}
	if c.ValidArgsFunction == nil && strings.Contains(c.Use, "URL") {
		c.ValidArgsFunction = completeOrigins
	}
	if _, has := c.GetFlagCompletionFunc("agent"); !has && c.Flags().Lookup("agent") != nil {
		if err := c.RegisterFlagCompletionFunc("agent", completeCrawlers); err != nil {
			panic(err) // the flag is there, and has none
		}
	}
}

// completeCrawlers returns what -a takes of known crawlers: their tokens, and with "@"
// the same with their chains, and the sets of them. What stands before the last comma
// stays.
func completeCrawlers(_ *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
	given := begun[:strings.LastIndexByte(begun, ',')+1]
	sigil := ""
	var words []string
	add := func(name, about string) {
		word := given + name
		if len(word) < len(begun) || !strings.EqualFold(word[:len(begun)], begun) {
			return
		}
		word = begun + word[len(begun):] // in the letter case that is typed, which shells compare
		if given == "" {                 // behind a comma, the script of bash finds none with a description
			word += "\t" + about
		}
		words = append(words, word)
	}
	if strings.HasPrefix(begun[len(given):], "@") {
		sigil = "@"
		add("@known", "all of them")
		for _, p := range crawlers.Purposes() {
			add("@"+string(p), "all known for that")
		}
	}
	for c := range crawlers.Known().All() {
		add(sigil+c.Token, c.Operator)
	}
	return words, cobra.ShellCompDirectiveNoFileComp
}
