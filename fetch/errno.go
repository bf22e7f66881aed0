//go:build !windows && !plan9

package fetch

import "syscall"

// Only EHOSTUNREACH may also come from the network of the site.
var localErrors = []error{
	syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM, syscall.ENOBUFS, syscall.EADDRNOTAVAIL,
	syscall.ENETUNREACH, syscall.ENETDOWN, syscall.EHOSTUNREACH, syscall.EACCES, syscall.EPERM,
}
