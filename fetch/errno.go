//go:build !windows && !plan9

package fetch

import "syscall"

// ourErrors are the errors of our own machine: no file handles, no memory, no
// ports, no route to the host, or a rule of our firewall against it. The router of a
// host that is down reports "no route", too: the two cannot be told apart.
var ourErrors = []error{
	syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM, syscall.ENOBUFS, syscall.EADDRNOTAVAIL,
	syscall.ENETUNREACH, syscall.ENETDOWN, syscall.EHOSTUNREACH, syscall.EACCES, syscall.EPERM,
}
