package faces

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/heed-robots/heed/internal/testing/portion"
	"github.com/heed-robots/heed/packages/js"
)

// The libraries for other languages, which answer in the form of internal/testing/caserun, and Beam. All of them
// must be built first.
var libraryFaces = []face{
	{name: "C", sources: "text base64", ask: asking(cLibrary), absent: whole("cc", "sh")},
	{name: "Python", sources: "text base64", ask: asking(pythonPackage), absent: whole("cc", "sh", "python3")},
	{name: "JavaScript", sources: "text base64", ask: asking(javaScriptPackage), absent: whole("node")},
	{name: "Beam", sources: "text base64 folder WARC archive Parquet", carries: isLine, noBytes: true, ask: askBeam, absent: whole()},
}

// whole returns what says why a face that must be built is not asked.
func whole(programs ...string) func() string {
	return func() string {
		if !portion.Whole() {
			return "HEED_WHOLE is not set"
		}
		for _, program := range programs {
			if _, err := exec.LookPath(program); err != nil {
				return program + " is not installed"
			}
		}
		return ""
	}
}

// root is the folder of the repository.
var root, _ = filepath.Abs("../../../..")

// built returns a folder for what is built once.
func built(name string) string {
	folder := filepath.Join(os.Getenv(folderVariable), name)
	must(os.MkdirAll(folder, 0o700))
	return folder
}

// do runs a program that must succeed, without the proxy of the test.
func do(folder string, command ...string) {
	c := exec.Command(command[0], command[1:]...)
	c.Dir = folder
	for _, variable := range os.Environ() {
		if name, _, _ := strings.Cut(variable, "="); name != "HTTP_PROXY" && name != "HTTPS_PROXY" && name != "SSL_CERT_FILE" {
			c.Env = append(c.Env, variable)
		}
	}
	if out, err := c.CombinedOutput(); err != nil {
		panic(fmt.Sprintf("%q: %v\n%s", command, err, out))
	}
}

// installed returns the folder with the C library.
var installed = sync.OnceValue(func() string {
	to := built("c")
	do(root, "sh", "packages/c/install.sh", to)
	return to
})

var cLibrary = sync.OnceValue(func() *exec.Cmd {
	program := filepath.Join(built("c.runner"), "runner")
	do(root, "cc", "-std=c11", "-o", program, "packages/c/testdata/runner.c", "-I"+installed()+"/include", installed()+"/lib/libheed.a", "-lpthread")
	return exec.Command(program)
})

var pythonPackage = sync.OnceValue(func() *exec.Cmd {
	to := built("python")
	do(root, "sh", "-c", `cp -r packages/python/src/heed "$0" && cp "$1"/lib/libheed.* "$0"/heed/`, to, installed())
	c := exec.Command("python3", filepath.Join(root, "packages/python/tests/runner.py"))
	c.Env = append(os.Environ(), "PYTHONPATH="+to, "PYTHONDONTWRITEBYTECODE=1")
	return c
})

var javaScriptPackage = sync.OnceValue(func() *exec.Cmd {
	to := built("js")
	must(js.Build(filepath.Join(to, "node_modules", "heed-robots")))
	do(root, "cp", "packages/js/test/runner.mjs", to)
	c := exec.Command("node", "runner.mjs")
	c.Dir = to
	return c
})

// asking returns what asks a runner.
func asking(runner func() *exec.Cmd) func(*run, []*question) []answer {
	return func(r *run, all []*question) (answers []answer) {
		var in, out, errs bytes.Buffer
		fmt.Fprintf(&in, "F %d %d\n%s%s\n", len(r.world.dialect.String()), len(r.file.body), r.world.dialect, r.file.body)
		for _, q := range all {
			fmt.Fprintf(&in, "Q %d", len(r.world.agents))
			for _, token := range r.world.agents {
				fmt.Fprintf(&in, " %d", len(token))
			}
			fmt.Fprintf(&in, " %d\n%s%s\n", len(q.url), strings.Join(r.world.agents, ""), q.url)
		}
		c := *runner()
		c.Stdin, c.Stdout, c.Stderr = &in, &out, &errs
		if err := c.Run(); err != nil {
			r.Fatalf("%v: %s", err, errs.Bytes())
		}
		lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
		return pickRows(len(lines), numbersTo(len(all)), errs.String(), func(i int) answer {
			want := r.want(all[i]) // the runners tell no patterns, and refuse by "disallowed"
			a := answer{verdict: disallowed, pattern: want.pattern}
			isAllowed := 0
			fmt.Sscan(lines[i], &isAllowed, &a.line)
			if isAllowed == 1 {
				a.verdict = allowed
			}
			if want.verdict == refused && a.line == 0 && isAllowed == 0 {
				return want
			}
			return a
		})
	}
}

var beamProgram = sync.OnceValue(func() string {
	program := filepath.Join(built("beam"), "beam")
	do(filepath.Join(root, "beam"), "go", "build", "-ldflags=-s -w", "-o", program, ".")
	return program
})

// beam runs the pipeline, and returns the row of each URL.
func (r *run) beam(list, robots string) (rows map[string]string, failed string) {
	to := filepath.Join(r.folder, "beam")
	must(os.RemoveAll(to))
	must(os.MkdirAll(to, 0o700))
	c := exec.Command(beamProgram(), "--agent", strings.Join(r.world.agents, ":"), "--dialect", r.world.dialect.String(),
		"--robots", robots, "--urls", list, "--input", "plain", "--output", filepath.Join(to, "v"), "--shards", "1")
	c.Env = append(os.Environ(), "TMPDIR="+to)
	out, err := c.CombinedOutput()
	if err != nil {
		failed = fmt.Sprintf("%v: %.500s", err, out)
	}
	text, _ := os.ReadFile(filepath.Join(to, "v-00000-of-00001.tsv"))
	rows = map[string]string{}
	for row := range strings.Lines(string(text)) {
		url, _, _ := strings.Cut(row, "\t")
		rows[url] = strings.TrimSuffix(row, "\n")
	}
	return rows, failed
}

func askBeam(r *run, all []*question) []answer {
	rows, failed := r.beam(writeFile(r, "list", plainLines(all)), r.path)
	return pickRows(len(all), numbersTo(len(all)), failed, func(i int) answer {
		row, ok := rows[strings.ReplaceAll(all[i].url, "\t", "%09")]
		if !ok {
			return answer{verdict: "no row: " + failed}
		}
		return cellOf(row)
	})
}

// From a damaged source, Beam and "heed filter" give the same rows. The statuses differ only if nothing of the source can be
// used (beam/README.md).
func TestDamagedSources(t *testing.T) {
	if why := whole()(); why != "" {
		t.Skip("Beam is not asked: " + why)
	}
	for seed := range uint64(12) {
		w := newWorld(1000+seed, 60)
		s := sources[[]int{0, 1, 6, 8}[seed%4]]
		r := &run{T: t, world: w, face: new(face), source: &s, folder: t.TempDir()}
		r.path = filepath.Join(r.folder, s.name)
		must(s.make(w, r.path))
		info, err := os.Stat(r.path)
		must(err)
		must(os.Truncate(r.path, 1+w.Int64N(info.Size())))
		var all []*question
		for _, q := range w.questions {
			if isLine(q.url) {
				all = append(all, q)
			}
		}
		list := writeFile(r, "list", plainLines(all))
		one := heed("", r.filterArgs("--input", "plain", list)...)
		rows, failed := r.beam(list, r.path)
		isUseless := strings.Contains(one.stderr, "heed filter: nothing of ")
		same := (one.status == 0 || isUseless) == (failed == "")
		for row := range strings.Lines(one.stdout) {
			url, _, _ := strings.Cut(row, "\t")
			same = same && rows[url] == strings.TrimSuffix(row, "\n")
		}
		if !same {
			t.Errorf("%s, cut: heed filter: status %d, %d rows, %.100q; Beam: %d rows, %.100q", s.name, one.status, strings.Count(one.stdout, "\n"), one.stderr, len(rows), failed)
		}
	}
}
