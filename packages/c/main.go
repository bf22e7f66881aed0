// Command c is the C library of Heed. The file heed.h declares its functions, and README.md says how to build it. A
// call goes first to border.c, which is written in C, and then to heed.go. Without a C compiler, "go build ./..."
// builds only this file.
package main

import (
	"fmt"
	"os"
)

// main is never called if a program uses the library.
func main() {
	fmt.Fprintln(os.Stderr, "This is a library for C; packages/c/install.sh builds it.")
	os.Exit(2)
}
