//go:build unix

package sites

import "syscall"

func makePipe(name string) bool { return syscall.Mkfifo(name, 0o600) == nil }
