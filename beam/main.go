// Command beam checks lists of URLs with archived robots.txt files, as "heed filter" does, in a pipeline of Apache Beam.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/s3" // package beamx imports the other file systems already
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"

	"github.com/heed-robots/heed/beam/verdicts"
)

func main() {
	flag.Usage = usage
	options := flags(flag.CommandLine)
	flag.Parse()
	beam.Init() // in a worker, Init does not return
	if err := run(context.Background(), options, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "beam:", err)
		os.Exit(2)
	}
}

func run(ctx context.Context, options func() (verdicts.Options, error), out io.Writer) error {
	o, err := options()
	if err != nil {
		return err
	}
	if err := tryTemporary(); err != nil {
		return err
	}
	p, s := beam.NewPipelineWithRoot()
	if err := verdicts.Build(ctx, s, o); err != nil {
		return err
	}
	// For the workers, Beam would compile main.go without flags.go. So on Linux, this program itself is sent to the
	// workers.
	if runtime.GOOS == "linux" {
		self, err := os.Executable()
		if err != nil {
			return err
		}
		*jobopts.WorkerBinary = cmp.Or(*jobopts.WorkerBinary, self)
	}
	if err := beamx.Run(ctx, p); err != nil || *jobopts.Async {
		return err
	}
	return printSummary(ctx, o.To, out)
}

// Beam would not report that no temporary file can be created.
func tryTemporary() error {
	f, err := os.CreateTemp("", "heed-*")
	if err != nil {
		return fmt.Errorf("cannot create a temporary file; the environment variable TMPDIR can name another folder for such files: %w", err)
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// A damaged list of URLs is an error, as in "heed filter".
func printSummary(ctx context.Context, to string, out io.Writer) error {
	summary, text, err := verdicts.ReadSummary(ctx, to)
	if err != nil {
		return err
	}
	if _, err := out.Write(text); err != nil {
		return err
	}
	if summary.BrokenLists > 0 {
		return fmt.Errorf("heed did not read %d of the lists to their end, because they are damaged: get the lists again that the file of rejects names", summary.BrokenLists)
	}
	return nil
}
