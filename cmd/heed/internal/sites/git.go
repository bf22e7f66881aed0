package sites

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/heed-robots/heed/internal/saved"
)

// gitPrefix begins an argument that names a file of a Git repository: git:REV:PATH.
const gitPrefix = "git:"

// IsGit reports whether an argument is git:REV:PATH. A URL of git:// is none.
func IsGit(arg string) bool {
	return strings.HasPrefix(arg, gitPrefix) && !strings.HasPrefix(arg, gitPrefix+"//")
}

// splitGit returns REV and PATH of git:REV:PATH. A colon in braces belongs to REV, as in
// HEAD@{2026-05-03 10:00}. An empty REV is the index.
func splitGit(arg string) (rev, path string, err error) {
	name := strings.TrimPrefix(arg, gitPrefix)
	depth, colon := 0, -1
	for i := 0; i < len(name) && colon < 0; i++ {
		switch c := name[i]; {
		case c == '{':
			depth++
		case c == '}' && depth > 0:
			depth--
		case c == ':' && depth == 0:
			colon = i
		}
	}
	switch {
	case strings.ContainsAny(name, "\n\x00"):
		return "", "", fmt.Errorf("%q: a line break cannot be part of git:REV:PATH", arg)
	case colon < 0 || colon == len(name)-1:
		return "", "", fmt.Errorf("%s: expected git:REV:PATH, such as git:HEAD:robots.txt", arg)
	case strings.HasPrefix(name, "-"):
		return "", "", fmt.Errorf(`%s: a revision cannot begin with "-"; expected git:REV:PATH, such as git:HEAD:robots.txt`, arg)
	}
	return name[:colon], name[colon+1:], nil
}

// readGit reads git:REV:PATH with the command git, from the repository of the current folder.
// As in git, PATH begins at the root of the repository; one that begins with "./" or "../"
// begins at the current folder. Symbolic links inside of the repository are followed.
func readGit(ctx context.Context, arg string) ([]byte, error) {
	rev, path, err := splitGit(arg)
	if err != nil {
		return nil, err
	}
	body, kind, err := askGit(ctx, arg, rev+":"+path)
	if err != nil {
		return nil, err
	}
	switch kind {
	case "blob":
		return body, nil
	case "missing":
		return nil, missingInGit(ctx, arg, rev, path)
	case "ambiguous":
		return nil, fmt.Errorf("%s: several revisions begin with %s; give more of its letters", arg, rev)
	}
	return nil, fmt.Errorf("%s: %s", arg, cmp.Or(notFiles[kind], "expected a file, found a "+kind))
}

// notFiles says of some kinds of objects why they are no file.
var notFiles = map[string]string{
	"symlink":  "a symbolic link to a file that is not in the repository; give the path of that file",
	"dangling": "a symbolic link that leads to no file",
	"loop":     "a symbolic link that leads to no file",
	"notdir":   "a part of the path is a file, not a folder",
	"tree":     "expected a file, found a folder",
}

// missingInGit is the error for a file that git does not find. It says whether the revision is
// missing, or only the file in it.
func missingInGit(ctx context.Context, arg, rev, path string) error {
	if rev == "" {
		return fmt.Errorf("%s: the index has no file %s", arg, path)
	}
	_, kind, err := askGit(ctx, arg, rev)
	switch {
	case err != nil:
		return err
	case kind == "missing":
		return fmt.Errorf("%s: git knows no revision %s; in a shallow clone, as builds have it, fetch it first", arg, rev)
	case strings.HasPrefix(path, "."):
		return fmt.Errorf("%s: this revision has no such file", arg)
	}
	return fmt.Errorf("%s: this revision has no such file; the path begins at the root of the repository, and git:%s:./%s begins at the current folder", arg, rev, path)
}

// askGit asks git cat-file for one object. kind is its type, or what git says instead, such as
// "missing". body is the content of a file, which is asked for when its size is known.
func askGit(ctx context.Context, arg, object string) (body []byte, kind string, err error) {
	answer, err := runGit(ctx, arg, object, "--batch-check", "--follow-symlinks")
	if err != nil {
		return nil, "", err
	}
	line, _, _ := strings.Cut(string(answer), "\n")
	if about, ok := strings.CutPrefix(line, object+" "); ok && !strings.Contains(about, " ") {
		return nil, about, nil // "missing" or "ambiguous"
	}
	words := strings.Fields(line)
	if len(words) == 2 {
		return nil, words[0], nil // such as "symlink", with the size of what follows
	}
	size := -1
	if len(words) == 3 {
		size, err = strconv.Atoi(words[2])
	}
	switch {
	case err != nil || size < 0:
		return nil, "", fmt.Errorf("%s: the answer of git was not understood: %q", arg, line)
	case words[1] != "blob":
		return nil, words[1], nil
	case size > saved.MaxBytes:
		return nil, "", fmt.Errorf("%s: larger than %d MiB", arg, saved.MaxBytes>>20)
	}
	body, err = runGit(ctx, arg, "", "blob", words[0])
	return body, "blob", err
}

// runGit returns what git cat-file writes. The name of an object is on standard input, so it is never read as an
// option, and no shell reads it.
func runGit(ctx context.Context, arg, object string, arguments ...string) ([]byte, error) {
	git := exec.CommandContext(ctx, "git", append([]string{"cat-file"}, arguments...)...)
	git.Stdin, git.WaitDelay = strings.NewReader(object+"\n"), time.Second
	out, err := git.Output()
	var failed *exec.ExitError
	switch {
	case errors.Is(err, exec.ErrNotFound):
		err = errors.New("the command git is not installed, or not in a folder of PATH")
	case errors.As(err, &failed) && len(failed.Stderr) > 0:
		err = fmt.Errorf("git: %s", bytes.TrimSpace(failed.Stderr))
	case err != nil:
		err = fmt.Errorf("git gave no answer: %w", err)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", arg, err)
	}
	return out, nil
}
