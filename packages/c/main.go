// Command c is the C library of Heed. The file border.c calls the functions of heed.go. Without a C compiler, Go
// builds only main.go.
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
