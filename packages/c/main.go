// Command c is the C library of Heed. Its functions are declared in heed.h; README.md says how to build it. Each
// call goes through border.c, in C, to heed.go. Without a C compiler only this file is built, so that
// "go build ./..." does not need one.
package main

import (
	"fmt"
	"os"
)

// main is not called in a library.
func main() {
	fmt.Fprintln(os.Stderr, "This is a library for C; packages/c/install.sh builds it.")
	os.Exit(2)
}
