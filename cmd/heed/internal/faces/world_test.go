package faces

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
	"github.com/heed-robots/heed/usage"
)

// A world is some robots.txt files, and questions of one crawler about URLs of their hosts.
type world struct {
	*rand.Rand
	seed      uint64
	dialect   *robotstxt.Dialect
	agents    []string // as the question has them
	tokens    []string // the product tokens that they mean
	files     []file
	questions []*question
	list      []listLine // the questions as people write them into a list
}

// A file is in the folder of a world.
type file struct {
	name string // such as HOST, HOST.txt, HOST:PORT, HOST/robots.txt
	body string
	age  int // in hours
}

// A question is a URL, and what robotstxt decides about it.
type question struct {
	url    string
	origin string // "": the URL has none
	file   *file  // whose rules decide; nil: nothing is known about the site; without an origin any
	status int    // of the answer of a site without a file; 0: it has one, or nothing is known about it
	want   answer
}

// A listLine is a line of a list that people write, with comments and the like.
type listLine struct {
	text  string
	about *question // nil: the line has no URL
}

// The verdicts of answers.
const (
	allowed    = "allowed"
	disallowed = "disallowed"
	unknown    = "unknown" // or unreachable: not allowed, and no rule says so
	refused    = "refused" // there is no decision: the question is wrong
)

// An answer is what a face says about a question.
type answer struct {
	verdict string
	line    int    // of the rule that decides; 0: none does
	pattern string // of that rule
	use     string // what the page may be used for, of faces that are asked; "" of what is refused or unknown
}

func (a answer) String() string {
	text := a.verdict
	if a.line > 0 {
		text += fmt.Sprintf(", line %d, %q", a.line, a.pattern)
	}
	if a.use != "" {
		text += ", " + a.use
	}
	return text
}

var hosts = []string{"h0.example", "h1.example", "h2.example", "www.h2.example", "xn--bcher-kva.example", "192.0.2.7", "nothing.example", "s404.example", "s403.example", "s503.example"}

// withFiles are the hosts that have files in the folder.
var withFiles = hosts[:6]

// statuses are what hosts answer that have no robots.txt. A folder cannot say that.
var statuses = map[string]int{"s404.example": 404, "s403.example": 403, "s503.example": 503}

// spellings are other ways to write a host.
var spellings = map[string][]string{
	"h0.example":            {"H0.EXAMPLE", "h%30.example", "user:password@h0.example"},
	"xn--bcher-kva.example": {"bücher.example", "BÜCHER.example", "xn--bcher-KVA.example"},
}

var schemes = []string{"https://", "https://", "https://", "http://", "http://", "ftp://", "HTTPS://"}

var ports = []string{"", "", "", "", ":8080", ":443", ":80", ":"}

var paths = []string{
	"", "/", "/a", "/a/b", "/a%2Fb", "/a%2fb", "/a/b/c.php", "/shop/cart?id=1&sort=asc", "/%7Euser/", "/~user/", "/ü", "/%C3%BC", "/%c3%bc",
	"/x/y/z/x/y/z/end", "/a*b", "/a$", "/robots.txt", "/robots.txt?x", "?q=1", "/private/a.html", "/private/public/", "/#part", "/a#b", "/cart#c",
	"/caf\xe9", "/\xff\xfe", "/a b", "/a,b", "/a\tb", `/"a"`, `/a"b,c`, "/a;b=c", `/a\b`, "/%", "/%zz", "/a//b", "/a/../b", "/./a", "/a?b?c", "/é\u2028x", "/\x01", "/\x7f",
	"/a\u00a0b", "/{a}", "/[a]", "/a|b", "/%00", "/%2A", "/%24", "/A", "/cart", "/CART", "/a\ufeffb", "/a'b", "/a&b=<c>", "/a+b", "/😀", "/\xf0\x9f", "/a #b",
}

var patterns = []string{
	"/", "/*", "/a", "/a$", "/a%2Fb", "/a/b", "/*/b/*.php$", "/*x*y*z*end", "/*?*sort=", "/*?id=", "/~user", "/%7Euser", "/ü", "/%C3%BC", "/%c3%BC",
	"/private/", "/private/*/", "/*a*a*a*a*$", "", "/*$", "/%2A", "/caf\xe9", "/caf%E9", "/\xff", "/a b", "/a\tb", `/"a"`, "cart", "*cart", "/cart", "/CART", "/a#b", "/a # b",
	"/a,b", "/%", "/%zz", "/a//", "/?", "/*?", "/robots.txt", "/\u00a0", "/😀", "/\xf0", "/{", "/[", "/a;", `/a\`, "/é\u2028", "/\x01", "/a'", "$", "*", "/$", "/**a",
}

// strays are questions that no face can answer.
var strays = []string{"no url", "http://", "https:///a", "mailto:x@h0.example", "https://h0.example:99999/", "//h0.example/a", "https://h0 .example/", "javascript:alert(1)", "https://[::/", "http:/h0.example/a", "h0", "?q", "*"}

var crawlers = [][]string{{"ExampleBot"}, {"ExampleBot"}, {"ExampleBot-News", "ExampleBot"}, {"*"}, {"Other"}, {"Googlebot-Image", "Googlebot"}}

func pick[T any](w *world, all []T) T { return all[w.IntN(len(all))] }

// newWorld makes a world with n questions.
func newWorld(seed uint64, n int) *world {
	w := &world{Rand: rand.New(rand.NewPCG(seed, 33)), seed: seed}
	w.dialect, w.agents = pick(w, robotstxt.Dialects()), pick(w, crawlers)
	if w.IntN(2) == 0 {
		w.dialect = robotstxt.RFC9309
	}
	w.tokens = w.agents
	w.fill(n)
	return w
}

// fill makes the files, and n questions about them.
func (w *world) fill(n int) {
	w.makeFiles()
	for range n {
		w.ask(w.url())
	}
	w.makeList()
}

// makeFiles makes the files of most hosts. Some hosts have two, of which the newer one is not the first.
func (w *world) makeFiles() {
	names := map[string]bool{}
	for _, host := range withFiles {
		for range 1 + w.IntN(3)/2 {
			name := host + pick(w, []string{"", "", "", ":8080", ":443", ":80"}) + pick(w, []string{"", "", ".txt", "/robots.txt"})
			base := strings.TrimSuffix(name, "/robots.txt")
			if base != name && names[base] || base == name && names[name+"/robots.txt"] || names[name] {
				continue // a name is of a file or of a folder
			}
			names[name] = true
			w.files = append(w.files, file{name, w.robots(), 1 + w.IntN(20)})
		}
	}
}

// robots returns a robots.txt.
func (w *world) robots() string {
	var text strings.Builder
	end := pick(w, []string{"\n", "\n", "\n", "\r\n", "\r", "\n\n"})
	if w.IntN(8) == 0 {
		text.WriteString("\ufeff")
	}
	if w.IntN(4) == 0 {
		text.WriteString("# a comment" + end + "Crawl-delay: 1" + end)
	}
	for range w.IntN(5) { // it may be empty
		text.WriteString("User-agent: " + pick(w, []string{"*", "ExampleBot", "examplebot/1.0", "ExampleBot-News", "Googlebot", "Other # or not", ""}) + end)
		for range w.IntN(6) {
			text.WriteString(pick(w, []string{"Allow: ", "Disallow: ", "disallow:", "Dissallow: ", "allow : ", " Disallow :\t"}) + pick(w, patterns) + pick(w, []string{"", "", "", " ", " # why"}) + end)
		}
	}
	return text.String() + w.statements(text.String(), end)
}

// statements returns lines for the end of a robots.txt that say what its pages may be used for. They draw from numbers of their own.
func (w *world) statements(robots, end string) (text string) {
	random := rand.New(rand.NewPCG(w.seed, uint64(len(robots))))
	for range random.IntN(7) {
		text += statements[random.IntN(len(statements))] + end
	}
	return text
}

var statements = []string{
	"Content-Usage: train-ai=n", "content-usage: train-ai=y, search=n", "Content-Usage: /a ai-use=n, train-ai=y", "Content-Usage: /*b search=y", "Content-Usage: Train-AI=n",
	"Content-Signal: search=yes, ai-train=no, ai-input=no", "Content-Signal: /a ai-train=yes", "License: https://h0.example/licence",
	"User-agent: __usage_ai-training", "User-agent: *", "User-agent: ExampleBot", "User-agent: Google-Extended", "Disallow: /a", "Allow: /a/b",
}

// url returns what is asked about.
func (w *world) url() string {
	switch w.IntN(30) {
	case 0:
		return pick(w, strays)
	case 1:
		return "/" + strings.TrimPrefix(pick(w, paths), "/") // of the site of a robots.txt
	}
	host := pick(w, hosts)
	if others := spellings[host]; others != nil && w.IntN(3) == 0 {
		host = pick(w, others)
	}
	url := pick(w, schemes) + host + pick(w, ports) + pick(w, paths)
	if w.IntN(4) == 0 {
		url += pick(w, []string{"?x=1", "/a", "$", "%", "\xff", ".php", "/robots.txt", " ", "\n", "\t", "\u00a0", " \ufeff"})
	}
	return url
}

// ask adds a question.
func (w *world) ask(url string) {
	q := &question{url: url, want: answer{verdict: refused}}
	if o, err := origin.Parse(url); err != nil {
		q.file = &w.files[w.IntN(len(w.files))] // for faces with one robots.txt
	} else {
		q.origin = o.String()
		q.file = w.fileOf(o)
		q.status = statuses[o.Host()]
		switch q.want = (answer{verdict: unknown}); {
		case q.file != nil:
			q.want = decide(q.file.body, w, url)
		case q.status != 0:
			r := fetch.Result{Origin: o, Status: q.status}
			q.want = decideBy(r.File(w.dialect), w, url)
		}
	}
	w.questions = append(w.questions, q)
}

// fileOf returns the file of an origin in the folder: HOST:PORT is used before HOST, and HOST before
// HOST.txt, and that before HOST/robots.txt.
func (w *world) fileOf(o origin.Origin) *file {
	bases := []string{o.Host()}
	if port := strings.TrimPrefix(o.String(), o.Scheme()+"://"+o.Host()); port != "" {
		bases = []string{o.Host() + port, o.Host()}
	}
	for _, base := range bases {
		for _, end := range []string{"", ".txt", "/robots.txt"} {
			if i := slices.IndexFunc(w.files, func(f file) bool { return f.name == base+end }); i >= 0 {
				return &w.files[i]
			}
		}
	}
	return nil
}

// answerOf returns what an origin answers: the robots.txt that fileOf finds, or a status; 0: nothing.
func (w *world) answerOf(site string) (status int, body string) {
	o, err := origin.Parse(site)
	if err != nil {
		return 0, ""
	}
	if f := w.fileOf(o); f != nil {
		return 200, f.body
	}
	return statuses[o.Host()], ""
}

// decide answers a question by a robots.txt, with package robotstxt only.
func decide(body string, w *world, url string) answer {
	return decideBy(robotstxt.ParseString(body, w.dialect), w, url)
}

func decideBy(f *robotstxt.File, w *world, url string) answer {
	d := f.Agent(w.tokens...).Check(url)
	a := answer{verdict: disallowed, line: d.Rule.Line, pattern: d.Rule.Pattern}
	a.use = usage.New(f, usage.Options{}, w.tokens...).Check(url, d.Allowed, nil).String()
	switch {
	case d.Reason == robotstxt.Unreachable:
		a.verdict, a.use = unknown, ""
	case d.Allowed:
		a.verdict = allowed
	case d.Reason == robotstxt.InvalidTarget:
		a.verdict, a.use = refused, ""
	}
	return a
}

// sites returns the origins of the questions, in order.
func (w *world) sites() []string {
	all := map[string]bool{}
	for _, q := range w.questions {
		if q.origin != "" {
			all[q.origin] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// makeList writes the questions into a list as people do: comments, blank lines, blanks around a URL,
// hosts without a scheme, a byte-order mark.
func (w *world) makeList() {
	for _, q := range w.questions {
		if !isLine(q.url) {
			continue
		}
		if w.IntN(10) == 0 {
			w.list = append(w.list, listLine{text: pick(w, []string{"", "  ", "# a comment", "\t# another", "#"})})
		}
		text := q.url
		if rest, ok := strings.CutPrefix(text, "https://"); ok && q.origin != "" && w.IntN(5) == 0 && strings.HasPrefix(rest, "h") && !strings.ContainsAny(rest, "%@\\") &&
			!strings.HasSuffix(q.origin, ".php") { // without a scheme, this is the name of a file
			text = rest
		}
		text = pick(w, []string{"", "", "", " ", "\t "}) + text + pick(w, []string{"", "", "", " ", "\t", " # note", "\t#note"})
		w.list = append(w.list, listLine{text, q})
	}
	if len(w.list) > 0 && w.IntN(3) == 0 {
		w.list[0].text = "\ufeff" + w.list[0].text
	}
}

// isLine reports whether a URL can be a line of a list as it is: without a comment in it, and without
// blanks around it.
func isLine(url string) bool {
	return url != "" && strings.TrimSpace(url) == url && url[0] != '#' && !strings.ContainsAny(url, "\r\n") &&
		!strings.Contains(url, " #") && !strings.Contains(url, "\t#")
}

// Which URLs a format can carry as they are.
func isText(url string) bool { return utf8.ValidString(url) }

func hasNoTab(url string) bool { return isLine(url) && !strings.Contains(url, "\t") }

func inCDX(url string) bool {
	return isLine(url) && strings.Contains(url, "://") && (isText(url) || len(strings.Fields(url)) == 1)
}
