package sites

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/heed-robots/heed/cmd/heed/internal/term"
)

// A Revision is a robots.txt as it is in one commit.
type Revision struct {
	Commit    string
	At        time.Time // the time of the commit, but never earlier than the previous Revision
	Body      []byte
	IsMissing bool // the commit deleted the file
}

// GitHistory reads the versions of a file, the earliest first. A merge is one version, because the site never used
// the merged commits. If isShallow is true, early versions are missing.
func GitHistory(a *term.Terminal, arg string) (all []Revision, isShallow bool, err error) {
	ctx, stop := term.Interruptible()
	defer stop()
	folder, rev, path := ".", "HEAD", strings.TrimPrefix(arg, gitPrefix)
	if strings.Contains(path, ":") {
		if rev, path, err = splitGit(arg); err != nil {
			return nil, false, err
		}
		if rev == "" {
			return nil, false, fmt.Errorf("%s: this names the index of Git, which has no history; expected git:PATH or git:REV:PATH", arg)
		}
	} else if info, wrong := os.Stat(filepath.Dir(path)); path == "" || strings.ContainsAny(path, "\n\x00") || wrong != nil || !info.IsDir() {
		return nil, false, fmt.Errorf("%s: there is no folder %s; expected git:PATH with the path of a file in a Git repository, such as git:robots.txt", arg, filepath.Dir(path))
	} else {
		folder = filepath.Dir(path)
		path = "./" + filepath.Base(path)
	}
	if !strings.HasPrefix(path, ".") {
		path = ":(top)" + path
	}
	out, err := gitOutput(ctx, folder, arg, "log", "--first-parent", "-m", "--diff-filter=AMDRT", "--no-renames", "--format=%x00%H %ct", "--name-only", "--end-of-options", rev, "--", path)
	switch {
	case ctx.Err() != nil:
		return nil, false, term.ErrInterrupted
	case err != nil:
		return nil, false, err
	}
	for commit := range strings.SplitSeq(out, "\x00") {
		head, name, _ := strings.Cut(strings.TrimSpace(commit), "\n")
		hash, seconds, ok := strings.Cut(head, " ")
		if !ok {
			continue
		}
		at, err := strconv.ParseInt(seconds, 10, 64)
		if err != nil {
			return nil, false, fmt.Errorf("%s: %w", arg, errStrange(head))
		}
		r := Revision{Commit: hash, At: time.Unix(at, 0).UTC()}
		if r.Body, r.IsMissing, err = fileAt(ctx, folder, arg, hash, strings.TrimSpace(name)); err != nil {
			return nil, false, err
		}
		all = append(all, r)
	}
	if len(all) == 0 {
		return nil, false, fmt.Errorf("%s: no commit has this file; expected git:PATH with the path of a committed file", arg)
	}
	slices.Reverse(all)
	for i := 1; i < len(all); i++ {
		if all[i].At.Before(all[i-1].At) {
			all[i].At = all[i-1].At
		}
	}
	shallow, err := gitOutput(ctx, folder, arg, "rev-parse", "--is-shallow-repository")
	return all, strings.TrimSpace(shallow) == "true", err
}

func fileAt(ctx context.Context, folder, arg, commit, name string) (body []byte, isMissing bool, err error) {
	object := commit + ":" + name
	body, kind, err := askGit(ctx, folder, arg, object)
	switch {
	case err != nil:
		return nil, false, err
	case kind == "missing":
		return nil, true, nil
	case kind != "blob":
		return nil, false, fmt.Errorf("%s: in the commit %.12s, this path is not a file, but a %s; expected git:PATH with the path of a file", arg, commit, kind)
	}
	return body, false, nil
}
