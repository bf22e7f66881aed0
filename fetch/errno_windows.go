package fetch

import "syscall"

// localErrors has the same errors as in errno.go. The numbers come from Winsock.
var localErrors = []error{
	syscall.Errno(10013), // WSAEACCES
	syscall.Errno(10024), // WSAEMFILE
	syscall.Errno(10049), // WSAEADDRNOTAVAIL
	syscall.Errno(10050), // WSAENETDOWN
	syscall.Errno(10051), // WSAENETUNREACH
	syscall.Errno(10055), // WSAENOBUFS
	syscall.Errno(10065), // WSAEHOSTUNREACH
}
