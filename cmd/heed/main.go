// Command heed checks, explains, tests and shows robots.txt files. See "heed help".
package main

import (
	"os"

	"github.com/heed-robots/heed/cmd/heed/internal/cli"
)

func main() {
	os.Exit(cli.Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
