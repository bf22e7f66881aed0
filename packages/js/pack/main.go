// Command pack builds the npm package heed-robots in a folder, for "npm pack" or "npm install".
//
//	go run ./packages/js/pack FOLDER
package main

import (
	"fmt"
	"os"

	"github.com/heed-robots/heed/packages/js"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: pack FOLDER")
		os.Exit(2)
	}
	if err := js.Build(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "pack:", err)
		os.Exit(1)
	}
}
