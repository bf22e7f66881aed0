//go:build !windows && !plan9

package fetch

import "syscall"

// localErrors are errors that our own machine causes: no file handles, no memory, no ports, no route, or a rule of our
// firewall. "No route" may also come from the router of a host that is down.
var localErrors = []error{
	syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM, syscall.ENOBUFS, syscall.EADDRNOTAVAIL,
	syscall.ENETUNREACH, syscall.ENETDOWN, syscall.EHOSTUNREACH, syscall.EACCES, syscall.EPERM,
}
