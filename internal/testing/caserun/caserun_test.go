package caserun

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/heed-robots/heed/internal/conformance"
	"github.com/heed-robots/heed/robotstxt"
)

// runner is the environment variable with which this program is a runner.
const runner = "HEED_TEST_RUNNER"

func TestMain(m *testing.M) {
	if os.Getenv(runner) != "" {
		play()
		return
	}
	os.Exit(m.Run())
}

// play is a runner in Go.
func play() {
	in := bufio.NewReader(os.Stdin)
	var f *robotstxt.File
	for {
		head, err := in.ReadString('\n')
		if err == io.EOF {
			return
		}
		fields := strings.Fields(head)
		var texts []string
		sizes := fields[1:]
		if fields[0] == "Q" {
			sizes = fields[2:]
		}
		for _, field := range sizes {
			var n int
			fmt.Sscan(field, &n)
			text := make([]byte, n)
			io.ReadFull(in, text)
			texts = append(texts, string(text))
		}
		in.Discard(1)
		if fields[0] == "F" {
			d := robotstxt.RFC9309
			if texts[0] != "" {
				d, _ = robotstxt.DialectNamed(texts[0])
			}
			f = robotstxt.ParseString(texts[1], d)
			continue
		}
		last := len(texts) - 1
		d := f.Agent(texts[:last]...).Check(texts[last])
		verdict := 0
		if d.Allowed {
			verdict = 1
		}
		fmt.Println(verdict, d.Rule.Line)
	}
}

func TestRun(t *testing.T) {
	t.Setenv(runner, "1")
	Run(t, os.Args[0])
}

func TestPassed(t *testing.T) {
	three := 3
	for _, c := range []struct {
		got   string
		allow bool
		line  *int
		want  bool
	}{
		{"1 3", true, &three, true},
		{"0 3", true, &three, false},
		{"1 4", true, &three, false},
		{"1 33", true, &three, false},
		{"1 4", true, nil, true},
		{"0 4", true, nil, false},
		{"error closed", true, nil, false},
		{"", false, nil, false},
	} {
		if got := passed(c.got, conformance.Case{Allow: c.allow, Line: c.line}); got != c.want {
			t.Errorf("%q: got %v", c.got, got)
		}
	}
}

// A text has its length before it, so it may have line ends and words of the format.
func TestWrite(t *testing.T) {
	var b bytes.Buffer
	write(&b, []conformance.Case{
		{Robots: []byte("Q 1\n"), Agents: []string{"a", "bc"}, URL: "/\n\x00"},
		{Robots: []byte("Q 1\n"), URL: "/"},
		{Robots: []byte("Q 1\n"), Dialect: robotstxt.Google, URL: "/"},
	})
	const want = "F 0 4\nQ 1\n\nQ 2 1 2 3\nabc/\n\x00\nQ 0 1\n/\nF 6 4\ngoogleQ 1\n\nQ 0 1\n/\n"
	if b.String() != want {
		t.Errorf("got  %q\nwant %q", b.String(), want)
	}
}
