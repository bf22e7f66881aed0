package faces

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

const hostSources = "file folder import store live"

var checkFaces = []face{
	{name: "check URL", sources: hostSources, ask: askCheck, carries: inArguments},
	{name: "check -", sources: hostSources, ask: askCheckLines, carries: isLine},
	{name: "check - (list)", sources: hostSources, ask: askCheckList, carries: isLine},
	{name: "check --input jsonl", sources: "text base64 " + hostSources, ask: askCheckJSON},
}

// inArguments reports whether a URL can be an argument of a program.
func inArguments(url string) bool { return url != "" && url != "-" && !strings.Contains(url, "\x00") }

// checkArgs returns the arguments of "heed check" and the like, without the crawler.
func (r *run) sourceArgs() []string {
	switch r.source.kind {
	case oneFile:
		return []string{"--robots", r.written()}
	case captures:
		return []string{folderFlag, r.path}
	case stored:
		return []string{"--store", r.path, "--offline"}
	}
	return []string{"--store", filepath.Join(r.folder, "store"), "--allow-private"}
}

// written returns a file with the robots.txt.
func (r *run) written() string { return writeFile(r, "robots.txt", r.file.body) }

func writeFile(r *run, name, text string) string {
	path := filepath.Join(r.folder, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		r.Fatal(err)
	}
	return path
}

// args returns the arguments of a command about the source.
func (r *run) args(command string, more ...string) []string {
	args := []string{command, "-a", strings.Join(r.world.agents, ":"), "--dialect", r.world.dialect.String()}
	return append(append(args, r.sourceArgs()...), more...)
}

func urlsOf(all []*question) (urls []string) {
	for _, q := range all {
		urls = append(urls, q.url)
	}
	return urls
}

func askCheck(r *run, all []*question) []answer {
	args := append(r.args("check", "--format", "jsonl", "--"), urlsOf(all)...)
	return rowsOf(heed("", args...), len(all))
}

func askCheckLines(r *run, all []*question) []answer {
	return rowsOf(heed(strings.Join(urlsOf(all), "\n"), r.args("check", "--format", "jsonl", "-")...), len(all))
}

func askCheckList(r *run, all []*question) []answer {
	text, numbers := r.world.listOf(all)
	return rowsOfList(heed(text, r.args("check", "--format", "jsonl", "-")...), numbers)
}

// listOf writes questions into a list as people do, and returns the number of the line of each.
func (w *world) listOf(all []*question) (text string, numbers []int) {
	asked := map[*question]bool{}
	for _, q := range all {
		asked[q] = true
	}
	n := 0
	for _, line := range w.list {
		if line.about != nil && !asked[line.about] {
			continue
		}
		text += line.text + []string{"\n", "\r\n"}[w.seed%2]
		if n++; line.about != nil {
			numbers = append(numbers, n)
		}
	}
	return text, numbers
}

func askCheckJSON(r *run, all []*question) []answer {
	var in strings.Builder
	for _, q := range all {
		in.Write(append(jsonOf(r.questionOf(q)), '\n'))
	}
	args := []string{"check", "--input", "jsonl", "--dialect", r.world.dialect.String()}
	if r.source.kind != given && r.source.kind != oneFile {
		args = append(args, r.sourceArgs()...)
	}
	return rowsOf(heed(in.String(), args...), len(all))
}

// questionOf returns a question as a JSON object.
func (r *run) questionOf(q *question) map[string]any {
	object := r.withURL(map[string]any{"agent": r.world.agents}, q)
	switch {
	case r.source.kind == given:
		r.addRobots(object)
	case r.source.kind == oneFile:
		object["robots_file"] = r.written()
	}
	return object
}

// withURL adds the URL to a JSON object.
func (r *run) withURL(object map[string]any, q *question) map[string]any {
	if isText(q.url) {
		object["url"] = q.url
	} else {
		object["url_b64"] = base64Of(q.url)
	}
	return object
}

// addRobots adds the robots.txt to a JSON object.
func (r *run) addRobots(object map[string]any) {
	if r.source.name == "text" {
		object["robots"] = r.file.body
	} else {
		object["robots_b64"] = base64Of(r.file.body)
	}
}

// rowsOf reads n decisions in JSON lines, one for each question.
func rowsOf(r result, n int) []answer {
	numbers := make([]int, n)
	for i := range numbers {
		numbers[i] = i + 1
	}
	return rowsOfList(r, numbers)
}

// rowsOfList reads decisions in JSON lines: one for each line of a list, or only for those with numbers,
// which have a question.
func rowsOfList(r result, numbers []int) []answer {
	var rows []string
	if text := strings.TrimSuffix(r.stdout, "\n"); text != "" {
		rows = strings.Split(text, "\n")
	}
	return pickRows(len(rows), numbers, r.stderr, func(i int) answer { return decisionOf(rows[i]) })
}

// pickRows returns the rows about the lines with numbers.
func pickRows(rows int, numbers []int, stderr string, row func(int) answer) []answer {
	all := make([]answer, len(numbers))
	for i, number := range numbers {
		switch {
		case rows == len(numbers):
			all[i] = row(i)
		case len(numbers) > 0 && rows >= numbers[len(numbers)-1]: // of heed filter, in which comments and blank lines have a row too
			all[i] = row(number - 1)
		default:
			all[i] = answer{verdict: fmt.Sprintf("%d rows for %d questions: %.200s", rows, len(numbers), stderr)}
		}
	}
	return all
}

// A decision is the JSON of a decision.
type decision struct {
	Allowed *bool
	Reason  string
	Error   string
	Rule    json.RawMessage
	Usage   string // of heed filter --for
}

// A rule is the JSON of a rule.
type rule struct {
	Line       int     `json:"line"`
	Allow      bool    `json:"allow"`
	Pattern    string  `json:"pattern"`
	PatternB64 *[]byte `json:"pattern_b64"`
}

func (r *rule) bytes() string {
	if r.PatternB64 != nil {
		return string(*r.PatternB64)
	}
	return r.Pattern
}

// decisionOf reads the JSON of a decision.
func decisionOf(text string) (a answer) {
	var d decision
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		return answer{verdict: fmt.Sprintf("no JSON: %.200q", text)}
	}
	return d.answer()
}

func (d *decision) answer() (a answer) {
	isAllowed := d.Allowed != nil && *d.Allowed
	switch {
	case isAllowed && d.Error != "":
		return answer{verdict: "allowed with an error"}
	case isAllowed:
		a.verdict = allowed
	case strings.Contains(d.Error, noFileError), unknownReasons[d.Reason] && d.Error == "":
		return answer{verdict: unknown}
	case d.Error != "" || noURLReasons[d.Reason]:
		return answer{verdict: refused}
	case d.Allowed == nil:
		return answer{verdict: "no verdict"}
	default:
		a.verdict = disallowed
	}
	var deciding rule
	if len(d.Rule) > 0 {
		if err := json.Unmarshal(d.Rule, &deciding); err != nil {
			return answer{verdict: "the rule is no object"}
		}
	}
	a.line, a.pattern = deciding.Line, deciding.bytes()
	return a.withUse(d.Usage)
}

// flatAnswer reads a decision in columns.
func flatAnswer(word, reason string, line int, text string) answer {
	a := answer{verdict: filterWords[word], line: line}
	if a.verdict == "" {
		a.verdict = "the word " + word
	}
	if noURLReasons[reason] {
		a.verdict = refused
	}
	if unknownReasons[reason] {
		a.verdict = unknown
	}
	if _, pattern, ok := strings.Cut(text, ": "); ok {
		a.pattern = pattern
	}
	return a
}
