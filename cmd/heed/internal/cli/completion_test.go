package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// completeIn is a script for bash. It does what bash does when a person presses Tab at the end
// of a line, and prints the completions. $1 is the completion script, $2 is the line.
const completeIn = `
source "$1"
COMP_LINE=$2 COMP_POINT=${#2} COMP_TYPE=9 COMP_KEY=9
# Bash splits the line at these characters too.
COMP_WORDBREAKS=$' \t\n"\'><=;|&(:'
COMP_WORDS=() word= i=
for ((i = 0; i < ${#COMP_LINE}; i++)); do
    c=${COMP_LINE:i:1}
    case $c in
    ' ') [[ -n $word ]] && COMP_WORDS+=("$word"); word= ;;
    [:=]) [[ -n $word ]] && COMP_WORDS+=("$word"); COMP_WORDS+=("$c"); word= ;;
    *) word+=$c ;;
    esac
done
COMP_WORDS+=("$word")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
function_of=$(complete -p heed | sed 's/.*-F \([^ ]*\).*/\1/')
"$function_of" heed "$word" ""
printf '%s\n' "${COMPREPLY[@]%% *}"
declare -F _get_comp_words_by_ref _init_completion && echo "bash-completion is loaded"
exit 0
`

// Without the package bash-completion, bash completes commands, flags, dialects, formats,
// colours, crawlers and the cached sites.
func TestBashCompletesWithoutPackage(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not installed")
	}
	heed := buildHeed(t)
	folder := t.TempDir()
	script := filepath.Join(folder, "heed.bash")
	text, err := Completion(Command(), "bash")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(script, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	store := filepath.Join(folder, "store")
	for _, url := range []string{"http://127.0.0.1:3/", "http://127.0.0.1:2/"} { // no server listens there, and the cache keeps the failure
		exec.Command(heed, "check", "-a", "x", "--allow-private", "--store", store, url).Run()
	}
	for line, want := range map[string]string{
		"heed ch":                                                  "check",
		"heed cache h":                                             "history",
		"heed check --form":                                        "--format",
		"heed check --dialect rfc":                                 "rfc9309",
		"heed check --dialect=draft":                               "draft1996 draft2019",
		"heed check --format j":                                    "json jsonl",
		"heed cache list --color a":                                "always auto",
		"heed check -a googlebot-im":                               "googlebot-image",
		"heed check -a GPTBot,@ai-t":                               `GPTBot\,@ai-training`,
		"heed lint --explain missing-c":                            "missing-colon",
		"heed lint --ignore tie,missing-c":                         `tie\,missing-colon`,
		"heed lint --fail-on n":                                    "never",
		"heed completion ":                                         "bash fish powershell zsh",
		"heed check --store " + store + " http":                    "http://127.0.0.1:2/ http://127.0.0.1:3/",
		"heed cache show --store " + store + " http://127.0.0.1:2": "2/", // bash replaces only the text after the ":"
	} {
		c := exec.Command(bash, "--norc", "--noprofile", "-c", completeIn, "bash", script, line)
		c.Env = append(os.Environ(), "PATH="+filepath.Dir(heed)+":"+os.Getenv("PATH"))
		out, err := c.Output() // on standard error compopt reports that no completion is running
		got := strings.Fields(string(out))
		slices.Sort(got)
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("%q: %v, %q, want %q", line, err, got, want)
		}
	}
}

// Completion returns a script in the language of each shell.
func TestCompletionScripts(t *testing.T) {
	for name, want := range map[string]string{
		"bash": "complete -o default", "zsh": "#compdef heed", "fish": "complete -c heed", "powershell": "Register-ArgumentCompleter",
	} {
		text, err := Completion(Command(), name)
		if err != nil || !strings.Contains(text, want) {
			t.Errorf("%s: %v, no %q", name, err, want)
		}
	}
	if _, err := Completion(Command(), "tcsh"); err == nil {
		t.Error("a completion for tcsh")
	}
}

// fish completes with its script, and zsh loads its script.
func TestFishAndZshLoadScripts(t *testing.T) {
	t.Parallel()
	heed := buildHeed(t)
	folder := t.TempDir()
	for _, c := range []struct{ shell, script, option, command, want string }{
		{"fish", "fish", "-c", `source "$SCRIPT"; complete -C "heed check --dialect dra"`, "draft1996\ndraft2019\n"},
		{"zsh", "zsh", "-fc", `autoload -U compinit; compinit -u -D; source "$SCRIPT" && echo $_comps[heed]`, "_heed\n"},
	} {
		if _, err := exec.LookPath(c.shell); err != nil {
			t.Log(c.shell, "is not installed")
			continue
		}
		text, err := Completion(Command(), c.script)
		if err != nil {
			t.Fatal(err)
		}
		script := filepath.Join(folder, c.script)
		if err := os.WriteFile(script, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		run := exec.Command(c.shell, c.option, c.command)
		run.Env = append(os.Environ(), "SCRIPT="+script, "HOME="+folder, "PATH="+filepath.Dir(heed)+":"+os.Getenv("PATH"))
		if out, err := run.CombinedOutput(); err != nil || string(out) != c.want {
			t.Errorf("%s: %v, %q, want %q", c.shell, err, out, c.want)
		}
	}
}
