package fetch

import "syscall"

// localErrors are those of errno.go, by their numbers in Winsock.
var localErrors = []error{
	syscall.Errno(10013), // WSAEACCES
	syscall.Errno(10024), // WSAEMFILE
	syscall.Errno(10049), // WSAEADDRNOTAVAIL
	syscall.Errno(10050), // WSAENETDOWN
	syscall.Errno(10051), // WSAENETUNREACH
	syscall.Errno(10055), // WSAENOBUFS
	syscall.Errno(10065), // WSAEHOSTUNREACH
}
