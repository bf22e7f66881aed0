//go:build !windows && !plan9

package fetch

import "syscall"

// localErrors are errors of our own machine. "No route" may also come from the router of a host.
var localErrors = []error{
	syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM, syscall.ENOBUFS, syscall.EADDRNOTAVAIL,
	syscall.ENETUNREACH, syscall.ENETDOWN, syscall.EHOSTUNREACH, syscall.EACCES, syscall.EPERM,
}
