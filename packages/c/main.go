// Command c is the C library of Heed. Calls go from border.c, in C, to heed.go. Without a C compiler, only this file is
// built.
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
