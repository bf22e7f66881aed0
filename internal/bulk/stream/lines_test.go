package stream_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"

	"github.com/heed-robots/heed/internal/bulk"
	"github.com/heed-robots/heed/internal/bulk/stream"
)

// TestLines: who reads the lines with Lines, asks for each, and writes with a Writer has the output of Run.
func TestLines(t *testing.T) {
	inputs := map[string]string{
		"empty":        "",
		"plain":        "https://shop.example/cart\nhttps://shop.example/\r\nhttps://other.example/\n\nno url\nhttps://shop.example/\tx",
		"mark":         "\ufeffhttps://shop.example/cart\n",
		"too long":     "https://shop.example/cart\nhttps://shop.example/" + strings.Repeat("x", 2<<20) + "\nhttps://shop.example/cart\n",
		"csv":          "n,url\n1,https://shop.example/cart\n\"2\n3\",https://shop.example/\n4\n\"5,https://shop.example/\n",
		"csv, blank":   "\ufeff\n \nn,url\n1,https://shop.example/cart\n2\n",
		"tsv":          "n\turl\n1\thttps://shop.example/cart\n2\n",
		"jsonl":        "{\"n\":1,\"url\":\"https://shop.example/cart\"}\n{\"n\":2}\n{\"n\"\n",
		"cdx":          " CDX N b a m s\ncom,a)/ 20240101000000 https://shop.example/cart text/html 200\n- - -\n",
		"cannot begin": "n,url\n1,https://shop.example/cart\n",
	}
	for name, input := range inputs {
		for _, how := range []struct {
			keep   bulk.Keep
			output stream.Output
		}{{}, {keep: bulk.OnlyAllowed}, {keep: bulk.OnlyDisallowed, output: stream.Rows}, {output: stream.JSONRows}} {
			o := &stream.Options{Keep: how.keep, Output: how.output}
			var compressed bytes.Buffer
			z := gzip.NewWriter(&compressed)
			z.Write([]byte(input))
			z.Close()
			if name == "cannot begin" {
				o.Column = "address"
			}
			var want bytes.Buffer
			o.Decider, o.Columns, o.Inputs, o.Stdin, o.Stdout = decider("a"), []string{"a"}, []string{"-"}, strings.NewReader(input), &want
			counts, wantErr := stream.Run(context.Background(), o)

			var got []byte
			var rejected int64
			w := stream.NewWriter(o.Columns, nil, o.Keep, o.Output, "")
			checker := decider("a").Checker()
			err := stream.Lines("list", &compressed, o.Input, o.Fields, func(l *stream.Line) {
				if l.Err == nil {
					checker.Check([]string{l.URL}, func(_ int, verdicts []bulk.Verdict, err error) {
						if l.Err = err; err == nil {
							got = w.Append(got, l, verdicts)
						}
					})
				}
				if l.Err != nil {
					if l.Err != stream.ErrNothing {
						rejected++
					}
					got = w.Append(got, l, nil)
				}
			})
			if err != nil {
				rejected++ // Run counts an input that cannot be read to its end
			}
			output := want.String()
			if o.Keep != bulk.All && o.Output == "" && (strings.HasPrefix(name, "csv") || name == "tsv" || name == "cdx") {
				_, output, _ = strings.Cut(output, "\n") // the header
			}
			if string(got) != output || (err == nil) != (wantErr == nil) || errors.Is(wantErr, stream.ErrInput) != (err != nil) || rejected != counts.Rejected {
				t.Errorf("%s, %q %q: %q, %d rejected, %v; Run: %q, %d, %v", name, o.Keep, o.Output, got, rejected, err, output, counts.Rejected, wantErr)
			}
		}
	}
}

// TestLinesOfDamage: an input that breaks off is an error, behind the lines that could be read.
func TestLinesOfDamage(t *testing.T) {
	var compressed bytes.Buffer
	z := gzip.NewWriter(&compressed)
	z.Write([]byte("https://shop.example/1\n"))
	z.Flush()
	z.Write([]byte("https://shop.example/2\n"))
	z.Close()
	cut := bytes.NewReader(compressed.Bytes()[:compressed.Len()-12])
	var got []string
	err := stream.Lines("list.gz", cut, "", stream.Fields{}, func(l *stream.Line) { got = append(got, strings.Clone(l.URL)) })
	if err == nil || !strings.Contains(err.Error(), "too early, at byte") || len(got) == 0 || got[0] != "https://shop.example/1" {
		t.Errorf("%q, %v", got, err)
	}
}
