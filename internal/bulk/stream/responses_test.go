package stream_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/heed-robots/heed/internal/bulk"
	"github.com/heed-robots/heed/internal/bulk/stream"
	"github.com/heed-robots/heed/usage"
)

// pages are made-up Responses: n pages, of which every seventh cannot be used. Reading ends at the failing one.
type pages struct {
	n, failing int
	read       func()
	err        error
}

var errTorn = errors.New("torn")

func (p *pages) All() iter.Seq[stream.Response] {
	return func(yield func(stream.Response) bool) {
		for i := 1; i <= p.n; i++ {
			if i == p.failing {
				p.err = errTorn
				return
			}
			read := func() (bulk.Page, error) {
				p.read()
				page := bulk.Page{URL: fmt.Sprintf("https://shop.example/cart%d", i), Response: usage.ReadResponse(map[string][]string{"Content-Usage": {"train-ai=n"}}, nil)}
				switch {
				case i%7 == 0:
					return page, errTorn
				case i%2 == 0:
					page = bulk.Page{URL: fmt.Sprintf("https://shop.example:8080/%d", i)}
				}
				return page, nil
			}
			if !yield(stream.Response{Place: fmt.Sprintf("offset %d", i), Read: read}) {
				return
			}
		}
	}
}

func (p *pages) Err() error { return p.err }
func (p *pages) Close()     {}

// A run over responses that is interrupted goes on behind the last checkpoint: the output, what is rejected and the numbers are
// those of one run.
func TestResponsesResume(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in")
	os.WriteFile(in, nil, 0o600)
	const n = 500
	options := func(name string, read func()) *stream.Options {
		j := decider("a")
		j.Use = bulk.NewUse(usage.Purposes(), nil, false)
		return &stream.Options{Decider: j, Columns: []string{"a"}, Header: true, Inputs: []string{in, in}, To: filepath.Join(dir, name), Rejects: filepath.Join(dir, name+".rejects"), Every: time.Nanosecond,
			Responses: func(string, *atomic.Int64) (stream.Responses, error) { return &pages{n: n, read: read}, nil }}
	}
	want, err := stream.Run(context.Background(), options("whole", func() {}))
	if err != nil || want.URLs+want.Rejected != 2*n || want.Rejected != 2*(n/7) {
		t.Fatalf("%+v, %v", want, err)
	}
	runs := 0
	for {
		ctx, cancel := context.WithCancel(context.Background())
		reads := atomic.Int64{}
		o := options("parts", func() {
			if reads.Add(1) == 90 {
				cancel()
			}
		})
		o.Resume = runs > 0
		got, err := stream.Run(ctx, o)
		cancel()
		if runs++; err == nil {
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("the numbers are %+v, want %+v", got, want)
			}
			break
		}
		if !errors.Is(err, context.Canceled) || runs > 100 {
			t.Fatal(runs, err)
		}
	}
	if runs < 5 {
		t.Errorf("%d runs: the test tests nothing", runs)
	}
	for _, end := range []string{"", ".rejects"} {
		whole, _ := os.ReadFile(filepath.Join(dir, "whole"+end))
		if parts, err := os.ReadFile(filepath.Join(dir, "parts"+end)); err != nil || string(parts) != string(whole) {
			t.Errorf("%s: %d bytes after %d runs, want %d: %v", end, len(parts), runs, len(whole), err)
		}
	}
}

// An input that cannot be read to its end is an error at the end of the run, and the others are checked.
func TestResponsesBroken(t *testing.T) {
	in := filepath.Join(t.TempDir(), "in")
	os.WriteFile(in, nil, 0o600)
	j := decider("a")
	j.Use = bulk.NewUse(usage.Purposes(), nil, false)
	failing := 0
	out, told := filter(t, &stream.Options{Decider: j, Columns: []string{"a"}, Inputs: []string{in, in, in}, Responses: func(string, *atomic.Int64) (stream.Responses, error) {
		failing++
		if failing == 3 {
			return nil, errTorn
		}
		return &pages{n: 2, failing: 2 * (failing % 2), read: func() {}}, nil
	}}, "")
	if want := "https://shop.example/cart1\tdisallowed\trule\t2\tDisallow: /cart\tnot-crawlable\n"; strings.Count(out, want) != 2 || strings.Count(out, "\n") != 3 {
		t.Errorf("output\n%s", out)
	}
	if want := in + ", from line 2 on: torn\n" + in + ", from line 1 on: torn\nrun: heed could not read one of the inputs to its end: see the message about it\n"; told != want {
		t.Errorf("told\n%s\nwant\n%s", told, want)
	}
}
