package stream

import (
	"errors"
	"syscall"
)

// isNoDisk reports whether a file cannot be synced because it is none, such as a pipe or /dev/null.
func isNoDisk(err error) bool {
	return errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP)
}
