//go:build !windows && !plan9

package fetch

import "syscall"

// localErrors are caused by our own machine: no file handles, no memory, no ports, no
// route to the host, or a rule of our firewall. "No route" may also come from the router
// of a host that is down; the error is the same.
var localErrors = []error{
	syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM, syscall.ENOBUFS, syscall.EADDRNOTAVAIL,
	syscall.ENETUNREACH, syscall.ENETDOWN, syscall.EHOSTUNREACH, syscall.EACCES, syscall.EPERM,
}
