package cli

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/heed-robots/heed/internal/testing/portion"
)

// pipeSites are the robots.txt files of the tests of pipes.
var pipeSites = map[string]string{
	"stars.example":   "User-agent: *\nDisallow: /*a*b*c*/*d$\nDisallow: /*?*&sort=*&page=\nAllow: /*a*b*c*/help\n",
	"escapes.example": "User-agent: *\nDisallow: /x%2Fy\nDisallow: /a/%7Eb\nDisallow: /caf\xe9\n",
	"closed.example":  "User-agent: *\nDisallow: /\n",
}

// oddLines are lines without a URL, lines that begin another format, and lines with what some program
// reads as a line end.
var oddLines = []string{
	"", " ", "\t", "nonsense", "url", "id,url", "{", `{"url":"https://closed.example/"}`, "WARC/1.0", "PAR1", " CDX N b a m s k r M S V g", "!OpenWayback-CDXJ 1.0",
	`example,closed)/ 20240501000000 {"status": "200"}`, "reporter:counter:a,b,1", "nonsense\rreporter:counter:a,b,1", "\ufeff", "\ufeffhttps://closed.example/",
	"https://closed.example/\r", "https://closed.example/\rhttps://stars.example/", "https://stars.example/\va\fb\u0085c\u2028d", "https://stars.example/\x00", "https://closed.example/\xff",
	"https://stars.example/a,b\tc", strings.Repeat("é", 600), "x" + strings.Repeat("é", 600), "https://closed.example/" + strings.Repeat("x", 1<<20),
	`{"url":"https://escapes.example/x%2fy","n":[1,` + "\r" + `2],"s":"\r\n"}`,
}

// pipeList returns a list of URLs and of odd lines, without line ends. It begins with the odd lines.
func pipeList() (lines []string) {
	paths := []string{"xaxbxcx/xd", "xaxbxcx/help", "?q=1&sort=a&page=2", "x%2fy", "x/y", "a/~b", "caf%E9", "", "robots.txt"}
	hosts := []string{"stars.example", "escapes.example", "closed.example", "none.example"}
	for i := range 2000 {
		lines = append(lines, fmt.Sprintf("https://%s/%s%s", hosts[rand.IntN(len(hosts))], paths[rand.IntN(len(paths))], strings.Repeat("x", i%7)))
	}
	lines = append(lines, oddLines...)
	rand.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	return append(slices.Clone(oddLines), lines...)
}

// A pipe is a command that checks a list, with an archive as a source.
type pipe struct {
	heed, archive string
	flags         []string
}

// newPipe makes the archive.
func newPipe(t *testing.T) pipe {
	t.Helper()
	p := pipe{heed: buildHeed(t), archive: filepath.Join(t.TempDir(), "robots.heed")}
	sites := t.TempDir()
	for host, text := range pipeSites {
		if err := os.WriteFile(filepath.Join(sites, host), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := exec.Command(p.heed, "compile", sites, "-o", p.archive).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return p
}

// args are those of the command, with the command itself.
func (p pipe) args() []string {
	return append([]string{p.heed, "filter", "-a", "CCBot", "--robots", p.archive}, p.flags...)
}

// once returns the output about a list in one run.
func (p pipe) once(t *testing.T, list string) string {
	t.Helper()
	command := exec.Command(p.heed, p.args()[1:]...)
	command.Stdin = strings.NewReader(list)
	out, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// A runner is how another program uses a pipe.
type runner struct {
	environment []string                          // of the command; nil: that of the test
	lines       func(io.Reader) ([]string, error) // reads the output
}

// inParts checks each partition with a command of its own, all at the same time: one thread writes the
// elements with a line end, one reads the output and one the errors. Any other status than 0 is a failure.
func (r runner) inParts(t *testing.T, p pipe, partitions [][]string) (lines []string) {
	t.Helper()
	outputs := make([][]string, len(partitions))
	var all sync.WaitGroup
	for i, elements := range partitions {
		all.Go(func() {
			var err error
			if outputs[i], err = r.part(p, elements); err != nil {
				t.Errorf("partition %d of %d lines: %v", i, len(elements), err)
			}
		})
	}
	all.Wait()
	for _, some := range outputs {
		lines = append(lines, some...)
	}
	return lines
}

// part checks one partition.
func (r runner) part(p pipe, elements []string) ([]string, error) {
	command := exec.Command(p.heed, p.args()[1:]...)
	command.Env = r.environment
	var told bytes.Buffer
	command.Stderr = &told // exec reads it in another goroutine
	stdin, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, err
	}
	go func() {
		to := bufio.NewWriterSize(stdin, 8<<10)
		for _, element := range elements {
			io.WriteString(to, element+"\n")
		}
		to.Flush()
		stdin.Close()
	}()
	lines, wrong := r.lines(stdout)
	if err := command.Wait(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, &told)
	}
	return lines, cmp.Or(wrong, checkReports(told.String()))
}

// checkReports returns an error if Hadoop would read a line of standard error as a command to it.
func checkReports(told string) error {
	lines, _ := javaLines(strings.NewReader(told))
	for _, line := range lines {
		if !strings.HasPrefix(line, "heed filter: ") {
			return fmt.Errorf("a line on standard error: %q", line)
		}
	}
	return nil
}

// javaLines reads lines as Java's BufferedReader and Hadoop's LineReader do: "\r" ends a line too.
func javaLines(from io.Reader) ([]string, error) {
	text, err := io.ReadAll(from)
	return rowsOf(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(string(text))), err
}

// utf8Lines reads lines as PySpark does: text that is not UTF-8 ends the job. So it does in Spark.
func utf8Lines(from io.Reader) ([]string, error) {
	text, err := io.ReadAll(from)
	if err == nil && !utf8.Valid(text) {
		err = errors.New("the output is not UTF-8")
	}
	return rowsOf(string(text)), err
}

// rowsOf returns the lines of a text, without their ends.
func rowsOf(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// partitionsOf cuts lines into random parts. Some are empty, and those with the odd lines are short.
func partitionsOf(lines []string) (parts [][]string) {
	for rest := lines; len(rest) > 0; {
		most := 800
		if len(lines)-len(rest) < len(oddLines) {
			most = 4
		}
		n := rand.IntN(min(len(rest), most) + 1)
		parts, rest = append(parts, rest[:n]), rest[n:]
	}
	return append(parts, nil)
}

// Spark starts a command for each partition of an RDD: RDD.pipe of Scala prints each element with a line
// end, and reads lines as Java does; that of Python gives no environment, and reads lines that end with
// "\n". Each element has one line of output, the same as in one run.
func TestFilterUnderSpark(t *testing.T) {
	t.Parallel()
	p := newPipe(t)
	var elements []string
	for _, line := range pipeList() {
		elements = append(elements, strings.ToValidUTF8(line, "\ufffd")) // a string of Java has characters
	}
	for _, flags := range portion.One([]string{"--input", "plain"}, []string{"--input", "jsonl", "-a", "b", "--missing", "disallowed"}) {
		p.flags = flags
		want := rowsOf(p.once(t, strings.Join(elements, "\n")+"\n"))
		if len(want) != len(elements) {
			t.Errorf("%s: %d lines of output for %d", flags, len(want), len(elements))
		}
		for name, spark := range map[string]runner{"Scala": {nil, javaLines}, "Python": {[]string{}, utf8Lines}} {
			got := spark.inParts(t, p, partitionsOf(elements))
			if !slices.Equal(got, want) {
				t.Errorf("%s, %s: the output of the parts is another one: %d lines, want %d", flags, name, len(got), len(want))
			}
		}
	}
}

// Hadoop streaming starts a command for each split of a file. It reads lines of the file as Java does, and
// writes each with "\n". A line of output is a key and a value: what is
// in front of the first tab, and what is behind. It writes both with a tab between them.
func TestFilterUnderHadoop(t *testing.T) {
	t.Parallel()
	p := newPipe(t)
	records, _ := javaLines(strings.NewReader(strings.Join(pipeList(), "\n")))
	for _, format := range portion.One("tsv", "jsonl") {
		p.flags = []string{"--input", "plain", "--format", format}
		tab := map[string]string{"jsonl": "\t"}[format] // a line of JSON has none: Hadoop adds one
		want := rowsOf(p.once(t, strings.Join(records, "\n")))
		if len(want) != len(records) {
			t.Errorf("%s: %d lines of output for %d", format, len(want), len(records))
		}
		got := runner{nil, javaLines}.inParts(t, p, partitionsOf(records))
		for i, line := range got {
			key, value, _ := strings.Cut(line, "\t")
			got[i] = strings.TrimSuffix(key+"\t"+value, tab)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: the output of the parts is another one: %d lines, want %d", format, len(got), len(want))
		}
	}
}
