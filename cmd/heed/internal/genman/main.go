// Command genman writes the man pages and completion scripts of heed into FOLDER. The pages have the date DATE, such as
// 2026-05-03:
//
//	go run ./cmd/heed/internal/genman FOLDER DATE
package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/heed-robots/heed/cmd/heed/internal/cli"
)

func main() {
	if len(os.Args) != 3 {
		fail(errors.New("expected two arguments, a folder for the manual pages and a date, such as man 2026-11-21"))
	}
	date, err := time.Parse(time.DateOnly, os.Args[2])
	if err != nil {
		fail(err)
	}
	if err := write(cli.Command(), os.Args[1], date); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "genman:", err)
	os.Exit(1)
}

func write(root *cobra.Command, folder string, date time.Time) error {
	man, completions := filepath.Join(folder, "man"), filepath.Join(folder, "completions")
	for _, f := range []string{man, completions} {
		if err := os.MkdirAll(f, 0o755); err != nil {
			return err
		}
	}
	if err := writePages(root, man, date.Format(time.DateOnly)); err != nil {
		return err
	}
	return errors.Join(
		root.GenBashCompletionFileV2(filepath.Join(completions, "heed.bash"), true),
		root.GenZshCompletionFile(filepath.Join(completions, "heed.zsh")),
		root.GenFishCompletionFile(filepath.Join(completions, "heed.fish"), true),
		root.GenPowerShellCompletionFileWithDesc(filepath.Join(completions, "heed.ps1")),
	)
}

func writePages(c *cobra.Command, folder, date string) error {
	if err := os.WriteFile(filepath.Join(folder, pageName(c)+".1"), []byte(manPage(c, date)), 0o644); err != nil {
		return err
	}
	for _, below := range c.Commands() {
		if below.IsAvailableCommand() {
			if err := writePages(below, folder, date); err != nil {
				return err
			}
		}
	}
	return nil
}
