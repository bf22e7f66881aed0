// Command c is the C library of Heed: heed.h has its functions, and README.md says how to build it. Each
// call goes through border.c, in C, to heed.go. Without a compiler for C it is an empty program, so that
// "go build ./..." needs none.
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
