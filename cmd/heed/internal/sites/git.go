package sites

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/heed-robots/heed/internal/saved"
)

const gitPrefix = "git:"

// IsGit reports whether an argument has the form git:REV:PATH. The URL git://example.com/x does not have this form.
func IsGit(arg string) bool {
	return strings.HasPrefix(arg, gitPrefix) && !strings.HasPrefix(arg, gitPrefix+"//")
}

// A colon in braces, as in "HEAD@{10:30}:robots.txt", is a part of REV. An empty REV means the index of Git.
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
		return "", "", fmt.Errorf("%q: expected git:REV:PATH without line breaks", arg)
	case colon < 0 || colon == len(name)-1:
		return "", "", fmt.Errorf("%s: expected git:REV:PATH, such as git:HEAD:robots.txt", arg)
	case strings.HasPrefix(name, "-"):
		return "", "", fmt.Errorf(`%s: a revision cannot begin with "-"; expected git:REV:PATH, such as git:HEAD:robots.txt`, arg)
	}
	return name[:colon], name[colon+1:], nil
}

// PathInRepository returns the PATH of git:REV:PATH, relative to the root of the repository.
func PathInRepository(arg string) (string, error) {
	_, name, err := splitGit(arg)
	if err != nil || !strings.HasPrefix(name, ".") {
		return name, err
	}
	folder, err := gitOutput(context.Background(), ".", arg, "rev-parse", "--show-prefix")
	return path.Join(strings.TrimSuffix(folder, "\n"), name), err
}

// In "REV:PATH", PATH is relative to the root of the repository, or to the current folder if it starts with "./".
func readGit(ctx context.Context, arg string) ([]byte, error) {
	rev, path, err := splitGit(arg)
	if err != nil {
		return nil, err
	}
	body, kind, err := askGit(ctx, ".", arg, rev+":"+path)
	if err != nil {
		return nil, err
	}
	switch kind {
	case "blob":
		return body, nil
	case "missing":
		return nil, missingInGit(ctx, arg, rev, path)
	case "ambiguous":
		return nil, fmt.Errorf("%s: several revisions begin with %s; give more characters of the revision that you mean", arg, rev)
	}
	return nil, fmt.Errorf("%s: %s", arg, cmp.Or(notFiles[kind], "expected a file, found a "+kind))
}

// The keys are words that git cat-file prints for objects that are not files.
var notFiles = map[string]string{
	"symlink":  "a symbolic link to a file that is not in the repository; give the path of that file",
	"dangling": "a symbolic link that leads to no file",
	"loop":     "a symbolic link that leads to no file",
	"notdir":   "a part of the path is a file, not a folder",
	"tree":     "expected a file, found a folder",
}

func missingInGit(ctx context.Context, arg, rev, path string) error {
	if rev == "" {
		return fmt.Errorf("%s: the index of Git has no file %s: add it with git add, or name a revision, such as git:HEAD:%s", arg, path, path)
	}
	_, kind, err := askGit(ctx, ".", arg, rev)
	switch {
	case err != nil:
		return err
	case kind == "missing":
		return fmt.Errorf("%s: Git does not know the revision %s: the repository may have no commit yet, or be a shallow clone, such as that of a build server, which needs git fetch first", arg, rev)
	case strings.HasPrefix(path, "."):
		return fmt.Errorf("%s: this revision has no such file; git ls-tree -r --name-only %s lists its files", arg, rev)
	}
	return fmt.Errorf("%s: this revision has no such file; the path is read from the root of the repository, and from the current folder if you write git:%s:./%s", arg, rev, path)
}

// If the object is not a file, body is nil. git reads the name of the object from standard input. So git never takes
// this name for an option.
func askGit(ctx context.Context, folder, arg, object string) (body []byte, kind string, err error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	git, complaint := gitCommand(ctx, folder, "cat-file", "--batch", "--follow-symlinks")
	git.Stdin = strings.NewReader(object + "\n")
	out, err := git.StdoutPipe()
	if err == nil {
		err = git.Start()
	}
	if err != nil {
		return nil, "", gitError(arg, err, nil)
	}
	body, kind, err = readObject(bufio.NewReaderSize(out, 64<<10), object)
	if !errors.Is(err, io.EOF) {
		stop() // the rest of the output of git is not needed
	}
	switch ended := git.Wait(); {
	case err == nil:
		return body, kind, nil
	case !errors.Is(err, io.EOF):
		return nil, "", fmt.Errorf("%s: %w", arg, err)
	case len(*complaint) > 0:
		return nil, "", gitError(arg, ended, *complaint)
	case ended != nil:
		return nil, "", fmt.Errorf("%s: git printed nothing, not even an error message (%w): try git status in this folder", arg, ended)
	default:
		return nil, "", fmt.Errorf("%s: git printed nothing, not even an error message: try git status in this folder", arg)
	}
}

func gitOutput(ctx context.Context, folder, arg string, args ...string) (string, error) {
	git, complaint := gitCommand(ctx, folder, args...)
	out, err := git.Output()
	if err != nil {
		return "", gitError(arg, err, *complaint)
	}
	return string(out), nil
}

func gitCommand(ctx context.Context, folder string, args ...string) (git *exec.Cmd, complaint *firstBytes) {
	git = exec.CommandContext(ctx, "git", append([]string{"-C", folder, "-c", "core.quotepath=off", "-c", "log.showSignature=false"}, args...)...)
	complaint = new(firstBytes)
	git.Stderr, git.WaitDelay = complaint, time.Second
	return git, complaint
}

func gitError(arg string, err error, complaint firstBytes) error {
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return fmt.Errorf("%s: the command git was not found: install it, or add its folder to PATH", arg)
	case len(complaint) > 0:
		return fmt.Errorf("%s: git: %s", arg, strings.TrimSpace(string(complaint)))
	}
	return fmt.Errorf("%s: git: %w", arg, err)
}

func readObject(from *bufio.Reader, object string) (body []byte, kind string, err error) {
	line, err := from.ReadSlice('\n')
	if err != nil {
		return nil, "", fmt.Errorf("heed cannot read what git printed: %w", err)
	}
	text := strings.TrimSuffix(string(line), "\n")
	if about, ok := strings.CutPrefix(text, object+" "); ok && !strings.Contains(about, " ") {
		return nil, about, nil // the word is "missing" or "ambiguous"
	}
	words := strings.Fields(text)
	if len(words) == 2 {
		return nil, words[0], nil // the first word is a kind such as "symlink"; the second is a size
	}
	if len(words) != 3 {
		return nil, "", errStrange(text)
	}
	size, err := strconv.ParseInt(words[2], 10, 64)
	switch {
	case err != nil || size < 0:
		return nil, "", errStrange(text)
	case words[1] != "blob":
		return nil, words[1], nil
	case size > saved.MaxBytes:
		return nil, "", fmt.Errorf("the file is larger than %d MiB: expected a robots.txt, which is smaller", saved.MaxBytes>>20)
	}
	body = make([]byte, size)
	if _, err := io.ReadFull(from, body); err != nil {
		return nil, "", errors.New("git ended before it had printed the whole file: run heed again")
	}
	return body, "blob", nil
}

type firstBytes []byte

func (b *firstBytes) Write(p []byte) (int, error) {
	const limit = 1 << 10
	*b = append(*b, p[:min(len(p), limit-len(*b))]...)
	return len(p), nil
}

func errStrange(text string) error {
	return fmt.Errorf("heed does not understand what git printed: %q; try another version of git", text)
}
