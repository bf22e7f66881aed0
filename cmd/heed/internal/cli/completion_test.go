package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

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
		text, err := exec.Command(heed, "completion", c.script).Output()
		if err != nil {
			t.Fatal(err)
		}
		script := filepath.Join(folder, c.script)
		if err := os.WriteFile(script, text, 0o600); err != nil {
			t.Fatal(err)
		}
		run := exec.Command(c.shell, c.option, c.command)
		run.Env = append(os.Environ(), "SCRIPT="+script, "HOME="+folder, "PATH="+filepath.Dir(heed)+":"+os.Getenv("PATH"))
		if out, err := run.CombinedOutput(); err != nil || string(out) != c.want {
			t.Errorf("%s: %v, %q, want %q", c.shell, err, out, c.want)
		}
	}
}
