package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const maxFile = 1 << 20

var programMagics = []string{"\x7fELF", "MZ", "\xcf\xfa\xed\xfe", "\xce\xfa\xed\xfe", "\xca\xfe\xba\xbe", "\x00asm", "!<arch>\n"}

func checkFiles(root string) error {
	names, err := trackedFiles(root)
	if err != nil {
		return err
	}
	var wrong []error
	for _, name := range names {
		wrong = append(wrong, checkFile(filepath.Join(root, filepath.FromSlash(name))))
	}
	return errors.Join(wrong...)
}

func checkFile(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if info.Size() > maxFile {
		return fmt.Errorf("%s: the file has %d bytes; a file in Git may have at most %d bytes", path, info.Size(), maxFile)
	}
	begin := make([]byte, 8)
	n, err := io.ReadFull(f, begin)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return err
	}
	for _, magic := range programMagics {
		if bytes.HasPrefix(begin[:n], []byte(magic)) {
			return fmt.Errorf("%s: a built program is in git", path)
		}
	}
	return nil
}

func trackedFiles(root string) ([]string, error) {
	c := exec.Command("git", "ls-files", "-z")
	c.Dir = root
	out, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("git ls-files: %w", err)
	}
	var names []string
	for name := range strings.SplitSeq(strings.TrimRight(string(out), "\x00"), "\x00") {
		if _, err := os.Lstat(filepath.Join(root, name)); err == nil {
			names = append(names, name)
		}
	}
	return names, nil
}
