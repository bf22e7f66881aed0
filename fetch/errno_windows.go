package fetch

import "syscall"

// localErrors has the same errors as in errno.go. The numbers come from Winsock.
var localErrors = []error{
	syscall.Errno(10013), // WSAEACCES: access denied
	syscall.Errno(10024), // WSAEMFILE: too many open sockets
	syscall.Errno(10049), // WSAEADDRNOTAVAIL: the local address is not available
	syscall.Errno(10050), // WSAENETDOWN: the network is down
	syscall.Errno(10051), // WSAENETUNREACH: the network is unreachable
	syscall.Errno(10055), // WSAENOBUFS: no memory for buffers
	syscall.Errno(10065), // WSAEHOSTUNREACH: no route to the host
}
