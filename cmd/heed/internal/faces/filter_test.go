package faces

import (
	"encoding/csv"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/parquet-go/parquet-go"
)

const captureSources = "text base64 folder import store WARC archive Parquet live"

var filterFaces = []face{
	{name: "filter plain", sources: captureSources, carries: isLine, noBytes: true, ask: filtering("plain", plainLines)},
	{name: "filter plain (list)", sources: captureSources, carries: isLine, noBytes: true, ask: askFilterList},
	{name: "filter " + onlyAllowed, sources: captureSources, carries: isLine, noRules: true, ask: keeping(onlyAllowed, allowed)},
	{name: "filter " + onlyDisallowed, sources: captureSources, carries: isLine, noRules: true, ask: keeping(onlyDisallowed, disallowed)},
	{name: "filter CSV", sources: captureSources, carries: isLine, noBytes: true, ask: filtering("csv", csvLines)},
	{name: "filter TSV", sources: captureSources, carries: hasNoTab, noBytes: true, ask: filtering("tsv", tsvLines)},
	{name: "filter JSON lines", sources: captureSources, carries: isText, ask: askFilterJSON},
	{name: "filter CDX", sources: captureSources, carries: inCDX, noBytes: true, ask: filtering("cdx", cdxLines)},
	{name: "filter Parquet", sources: captureSources, noBytes: true, ask: askFilterParquet},
}

// filterFacesOfUse are the same, with --for.
var filterFacesOfUse = func() (all []face) {
	for _, f := range filterFaces {
		f.name, f.uses = f.name+" --for", true
		all = append(all, f)
	}
	return all
}()

// filterArgs returns the arguments of "heed filter".
func (r *run) filterArgs(more ...string) []string {
	args := []string{"filter", "-a", strings.Join(r.world.agents, ":"), "--dialect", r.world.dialect.String()}
	if r.face.uses {
		args = append(args, "--for", "train-ai,search,ai-use")
	}
	if r.source.kind == live {
		return append(append(args, "--robots", "live", "--allow-private", "--store", filepath.Join(r.folder, "store")), more...)
	}
	return append(append(args, "--robots", r.path), more...)
}

// filtering returns what asks with lines of a format.
func filtering(format string, lines func([]*question) string) func(*run, []*question) []answer {
	return func(r *run, all []*question) []answer {
		return cellsOf(heed(lines(all), r.filterArgs("--input", format)...), numbersTo(len(all)))
	}
}

func numbersTo(n int) (numbers []int) {
	for i := range n {
		numbers = append(numbers, i+1)
	}
	return numbers
}

func plainLines(all []*question) string { return strings.Join(urlsOf(all), "\n") + "\n" }

func csvLines(all []*question) string {
	var text strings.Builder
	w := csv.NewWriter(&text)
	w.Write([]string{"n", "url"})
	for i, q := range all {
		w.Write([]string{fmt.Sprint(i), q.url})
	}
	w.Flush()
	return text.String()
}

func tsvLines(all []*question) string {
	text := "url\tn\n"
	for i, q := range all {
		text += fmt.Sprintf("%s\t%d\n", q.url, i)
	}
	return text
}

// cdxLines writes a URL with blanks in CDXJ, and others in CDX.
func cdxLines(all []*question) string {
	text := ""
	for _, q := range all {
		if len(strings.Fields(q.url)) == 1 && !strings.Contains(q.url, "{") {
			text += "com,example)/ 20240501000000 " + q.url + " text/html 200 - - - - - -\n"
		} else {
			text += "com,example)/ 20240501000000 " + string(jsonOf(map[string]string{"url": q.url})) + "\n"
		}
	}
	return text
}

func askFilterList(r *run, all []*question) []answer {
	text, numbers := r.world.listOf(all)
	return cellsOf(heed(text, r.filterArgs("--input", "plain")...), numbers)
}

// keeping returns what asks which lines of a list "heed filter" keeps. A site that is unreachable is
// disallowed.
func keeping(flag, verdict string) func(*run, []*question) []answer {
	return func(r *run, all []*question) []answer {
		rest := heed(plainLines(all), r.filterArgs("--input", "plain", flag)...).stdout
		answers := make([]answer, len(all))
		for i, q := range all {
			told := r.want(q)
			want := told.verdict
			if r.face.uses && strings.Contains(told.use, "=n") {
				want = disallowed
			}
			after, isNext := strings.CutPrefix(rest, q.url+"\n")
			isWanted := want == verdict || verdict == disallowed && want == unknown && (r.source.kind == live || q.status != 0 && r.hasStatuses())
			switch {
			case isNext && isWanted:
				rest = after
			case isNext:
				told.verdict, rest = "kept as "+verdict, after
			case isWanted:
				told.verdict = "not kept as " + verdict
			}
			answers[i] = answer{verdict: told.verdict}
		}
		if rest != "" { // a line that is kept, and should not be
			answers[len(all)-1] = answer{verdict: fmt.Sprintf("%s is kept: %.100q", verdict, rest)}
		}
		return answers
	}
}

// cellsOf reads rows of TSV.
func cellsOf(r result, numbers []int) []answer {
	var rows []string
	if text := strings.TrimSuffix(r.stdout, "\n"); text != "" {
		rows = strings.Split(text, "\n")
	}
	return pickRows(len(rows), numbers, r.stderr, func(i int) answer { return cellOf(rows[i]) })
}

func cellOf(row string) answer {
	cells := strings.Split(row, "\t")
	if len(cells) == 5 { // without the use
		cells = append(cells, "")
	}
	if len(cells) != 6 {
		return answer{verdict: fmt.Sprintf("%d columns", len(cells))}
	}
	line := 0
	fmt.Sscan(cells[3], &line)
	return flatAnswer(cells[1], cells[2], line, strings.NewReplacer("%09", "\t").Replace(cells[4])).withUse(cells[5])
}

func askFilterJSON(r *run, all []*question) []answer {
	var in strings.Builder
	for _, q := range all {
		in.Write(append(jsonOf(map[string]string{"url": q.url}), '\n'))
	}
	return rowsOf(heed(in.String(), r.filterArgs("--input", "jsonl")...), len(all))
}

func askFilterParquet(r *run, all []*question) []answer {
	type row struct {
		URL string `parquet:"url"`
	}
	rows := []row{}
	for _, q := range all {
		rows = append(rows, row{q.url})
	}
	in, out := filepath.Join(r.folder, "in.parquet"), filepath.Join(r.folder, "out.parquet")
	if err := parquet.WriteFile(in, rows); err != nil {
		r.Fatal(err)
	}
	got := heed("", r.filterArgs("-o", out, in)...)
	checked, err := parquet.ReadFile[flatRow](out)
	if err != nil {
		r.Logf("%v: %s", err, got.stderr)
	}
	return pickRows(len(checked), numbersTo(len(all)), got.stderr, func(i int) answer { return checked[i].answer() })
}

func (f *flatRow) answer() answer {
	return flatAnswer(value(f.Verdict, "unknown"), value(f.Reason, "no-url"), int(value(f.Line, 0)), value(f.Rule, "")).withUse(value(f.Usage, ""))
}

// withUse adds what a page may be used for. A site that is unreachable is not crawlable, and unknown in these tests.
func (a answer) withUse(text string) answer {
	if a.verdict != unknown || text != "not-crawlable" {
		a.use = text
	}
	return a
}

func value[T any](p *T, null T) T {
	if p == nil {
		return null
	}
	return *p
}
