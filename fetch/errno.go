//go:build !windows && !plan9

package fetch

import "syscall"

// ourErrors are what our own machine answers: no file handles, no memory, no
// ports, no way to the host, or a rule of ours against it. A host that is down is
// reported by its router as one without a route, too; nobody can tell.
var ourErrors = []error{
	syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM, syscall.ENOBUFS, syscall.EADDRNOTAVAIL,
	syscall.ENETUNREACH, syscall.ENETDOWN, syscall.EHOSTUNREACH, syscall.EACCES, syscall.EPERM,
}
