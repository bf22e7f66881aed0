package stream

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// A later run can continue the file of a sink at an offset that sync returned.
type sink struct {
	to      io.Writer
	end     io.Closer
	fresh   func() (io.WriteCloser, error) // begins a compression; nil if the file is not compressed
	file    *os.File                       // nil if the output is an io.Writer and not a file
	counted *countedWriter
}

type countedWriter struct {
	to io.Writer
	n  int64
}

func (w *countedWriter) Write(p []byte) (int, error) {
	n, err := w.to.Write(p)
	w.n += int64(n)
	return n, err
}

func toWriter(w io.Writer) *sink {
	c := &countedWriter{to: w}
	return &sink{to: c, counted: c}
}

// toFile continues a file at an offset. Files named .gz or .zst are compressed.
func toFile(name string, offset int64) (*sink, error) {
	flags := os.O_RDWR | os.O_APPEND
	if offset == 0 {
		flags |= os.O_CREATE
	}
	f, err := os.OpenFile(name, flags, 0o644)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && info.Mode().IsRegular() {
		if info.Size() < offset {
			err = fmt.Errorf("%s has %d bytes, but the interrupted run wrote at least %d bytes: give the output of that run, or leave --resume out", name, info.Size(), offset)
		} else {
			err = f.Truncate(offset)
		}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	c := &countedWriter{to: f, n: offset}
	s := &sink{file: f, to: c, counted: c}
	switch {
	case strings.HasSuffix(name, ".gz"):
		s.fresh = func() (io.WriteCloser, error) { return gzip.NewWriterLevel(c, gzip.BestSpeed) }
	case strings.HasSuffix(name, ".zst"):
		s.fresh = func() (io.WriteCloser, error) { return zstd.NewWriter(c, zstd.WithEncoderConcurrency(1)) }
	}
	return s, nil
}

func (s *sink) write(p []byte) error {
	if len(p) == 0 {
		return nil
	}
	if s.fresh != nil && s.end == nil {
		w, err := s.fresh()
		if err != nil {
			return err
		}
		s.to, s.end = w, w
	}
	_, err := s.to.Write(p)
	return err
}

// sync ends the gzip member or zstd frame, so that a later run can continue there.
func (s *sink) sync() (offset int64, err error) {
	if s.end != nil {
		err = s.end.Close()
		s.end = nil
	}
	if err == nil && s.file != nil {
		if err = s.file.Sync(); isNoDisk(err) {
			err = nil
		}
	}
	return s.counted.n, err
}

func (s *sink) close() error {
	_, err := s.sync()
	if s.file != nil {
		err = errors.Join(err, s.file.Close())
	}
	return err
}

// A pipe or /dev/null has no disk, so its sync fails.
func isNoDisk(err error) bool {
	return errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP)
}
