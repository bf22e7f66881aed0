package servecmd

import (
	"net"
	"syscall"
)

// isListening reports whether a socket from systemd accepts connections. Without this check, heed would first say
// that it is ready, and would notice the problem later.
func isListening(l net.Listener) bool {
	c, ok := l.(syscall.Conn)
	if !ok {
		return false
	}
	raw, err := c.SyscallConn()
	if err != nil {
		return false
	}
	accepts := 0
	err = raw.Control(func(fd uintptr) {
		accepts, _ = syscall.GetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_ACCEPTCONN)
	})
	return err == nil && accepts != 0
}
