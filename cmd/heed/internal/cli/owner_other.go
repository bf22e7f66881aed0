//go:build windows || plan9

package cli

import "os"

// hasOtherNames reports whether a file has several names. Here that is unknown.
func hasOtherNames(os.FileInfo) bool { return false }

// giveOwner does nothing: a new file in a folder has the permissions of the folder.
func giveOwner(*os.File, os.FileInfo) error { return nil }
