//go:build !windows && !plan9

package lintcmd

import (
	"os"
	"syscall"
)

// hasOtherNames reports whether a file has several names (hard links).
func hasOtherNames(info os.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && stat.Nlink > 1
}

// giveOwner gives a new file the owner and the group of another.
func giveOwner(f *os.File, like os.FileInfo) error {
	own, err := f.Stat()
	if err != nil {
		return err
	}
	has, ok := own.Sys().(*syscall.Stat_t)
	want, wanted := like.Sys().(*syscall.Stat_t)
	if !ok || !wanted || has.Uid == want.Uid && has.Gid == want.Gid {
		return nil
	}
	return f.Chown(int(want.Uid), int(want.Gid))
}
