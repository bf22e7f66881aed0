package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/klauspost/compress/gzip"
)

// decompress decompresses the files of a folder, and does nothing else: loading them cannot be faster.
func decompress(folder string) error {
	files, err := filepath.Glob(filepath.Join(folder, "*.gz"))
	if err != nil {
		return err
	}
	names, failures := make(chan string), make([]error, workers())
	var running sync.WaitGroup
	for w := range failures {
		running.Go(func() {
			for name := range names {
				failures[w] = errors.Join(failures[w], decompressFile(name))
			}
		})
	}
	for _, name := range files {
		names <- name
	}
	close(names)
	running.Wait()
	return errors.Join(failures...)
}

func decompressFile(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	members, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, members)
	return err
}
