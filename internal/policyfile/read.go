package policyfile

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/heed-robots/heed/crawlers"
	"github.com/heed-robots/heed/internal/ascii"
	"github.com/heed-robots/heed/internal/crawlernames"
	"github.com/heed-robots/heed/internal/lines"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/internal/spelling"
	"github.com/heed-robots/heed/robotstxt"
	"github.com/heed-robots/heed/robotstxt/record"
	"github.com/heed-robots/heed/usage"
)

// MaxBytes is the maximum size of a policy in bytes.
const MaxBytes = 1 << 20

// A File is a policy file: what an owner wants, from which heed writes a robots.txt.
type File struct {
	Name string // the name of the policy in comments and errors

	blocks   []*block
	byWho    map[subject]*block
	sitemaps []string
	records  []string // the records that apply to the whole robots.txt
	carriers []usage.Carrier
	cases    []string // cases[i] is the expectation on line i+1; "" if there is none
}

// A subject is a purpose, an operator or a product token. If all are "", it is everyone.
type subject struct {
	purpose  crawlers.Purpose
	operator string // in lower case
	token    string // in lower case
}

// A named is a subject with the name that the policy uses for it.
type named struct {
	subject
	name string
}

// A block is what a policy says about everyone, one purpose, one operator or one product token.
type block struct {
	subject
	name     string
	names    map[string]string // the names that the policy uses for this token, by their lower case
	line     int
	index    int
	isAlone  bool
	rules    []rule
	delay    string // the crawl delay in seconds, or "none"; "": the policy sets none
	records  []string
	wishes   []wish
	isClosed bool
}

// A wish is a preference about the use of the content below a path.
type wish struct {
	path   string // the path in normal form; "/" stands for the whole site
	answer usage.Answer
}

// An Error says what is wrong in a line of a policy.
type Error struct {
	Name string
	Line int
	Err  error
}

func (e *Error) Error() string { return fmt.Sprintf("%s:%d: %v", e.Name, e.Line, e.Err) }

func (e *Error) Unwrap() error { return e.Err }

const everyone = "everyone"

type reader struct {
	file         *File
	table        *crawlers.Table
	line         int
	open         []*block // the blocks to which the next indented lines belong
	key          string   // the setting to which the next indented lines belong; "" if they belong to blocks
	wrong        []error
	notes        []string
	namesInNotes map[string]bool
	isQuiet      bool
	work         int  // the number of rules; a rule below several names counts once for each name
	isRobots     bool // the text is a robots.txt, not a policy
}

// Read reads a policy. Notes are about possible mistakes. If there is an error, f must not be used.
func Read(name, text string, table *crawlers.Table) (f *File, notes []string, errs []error) {
	r := &reader{file: &File{Name: name, byWho: map[subject]*block{}}, table: table, namesInNotes: map[string]bool{}}
	r.readAll(text)
	return r.file, r.notes, r.wrong
}

func (r *reader) readAll(text string) {
	if len(text) > MaxBytes {
		r.wrong = append(r.wrong, fmt.Errorf("%s: the policy is too large; expected at most %d bytes", r.file.Name, MaxBytes))
		return
	}
	all := strings.Split(strings.TrimPrefix(text, lines.ByteOrderMark), "\n")
	r.file.cases = make([]string, len(all))
	for at := 0; at < len(all); at++ {
		r.line = at + 1
		line := withoutComment(all[at])
		if isUnfinished(line) {
			parts := []string{line}
			for isUnfinished(line) && at+1 < len(all) {
				at++
				if part := strings.Trim(withoutComment(all[at]), ascii.Space); part != "" {
					line = part
					parts = append(parts, part)
				}
			}
			line = strings.Join(parts, "")
		}
		if err := r.read(line); err != nil {
			r.wrong = append(r.wrong, &Error{r.file.Name, r.line, err})
		}
		if len(r.wrong) == maxTold {
			r.wrong = append(r.wrong, fmt.Errorf("heed shows only the first %d errors: correct these first", maxTold))
		}
		if r.isRobots || len(r.wrong) > maxTold {
			return
		}
	}
	if f := r.file; len(r.wrong) == 0 && len(f.blocks)+len(f.sitemaps)+len(f.records) == 0 {
		r.wrong = append(r.wrong, fmt.Errorf(`%s: the policy says nothing; to allow everything, write "everyone: allow"`, f.Name))
	}
	r.checkContradictions()
}

func withoutComment(line string) string {
	return strings.TrimRight(lines.WithoutComment(strings.TrimSuffix(line, "\r")), ascii.Space)
}

// maxTold limits the errors, and also the notes, that Read returns.
const maxTold = 100

// isUnfinished reports whether a line is a list of names that continues in the next line, such as "ai-training, seo,".
func isUnfinished(line string) bool {
	return strings.HasSuffix(line, ",") && !ascii.IsSpace(line[0]) && !strings.Contains(line, ":")
}

func (r *reader) read(line string) error {
	if line == "" {
		return nil
	}
	if isIndented := ascii.IsSpace(line[0]); isIndented && (r.open != nil || r.key != "") {
		return r.readPart(strings.TrimLeft(line, ascii.Space))
	} else if isIndented {
		return errors.New(`the line is indented, but no line above it has a name: add one, such as "everyone:"`)
	}
	r.open, r.key = nil, ""
	names, rest, ok := strings.Cut(line, ":")
	if first, _, _ := strings.Cut(names, " "); slices.Contains(settings, ascii.ToLower(first)) && first != names {
		return fmt.Errorf(`expected a colon after the name, as in "%s: …"`, ascii.ToLower(first))
	}
	if !ok {
		return fmt.Errorf(`%s: expected a line that begins with a name and a colon, such as "everyone: disallow /cart" or "ai-training: disallow"`, printable.Quote(line))
	}
	switch key := ascii.ToLower(strings.TrimSpace(names)); {
	case slices.Contains(settings, key):
		r.key = key
	case key == "crawl-delay", key == "usage":
		value := map[string]string{"crawl-delay": "5", "usage": "train-ai=n"}[key]
		return fmt.Errorf(`%s needs a name before it, such as "everyone: %[1]s %s"`, key, value)
	case isKey(key):
		r.isRobots = true
		return fmt.Errorf(`%s is a line of a robots.txt, but this is a policy: write for example "everyone: disallow /cart"; "heed write --from robots.txt" makes a policy from a robots.txt`, printable.Quote(line))
	default:
		if err := r.readNames(names); err != nil {
			return err
		}
	}
	if rest = strings.Trim(rest, ascii.Space); rest == "" {
		return nil // the statements follow in indented lines
	}
	return r.readPart(rest)
}

var settings = []string{"sitemap", "record", "carriers", "expect"}

// isKey reports whether a name is also a keyword, such as "sitemap". A crawler with such a name must be in quotes.
func isKey(name string) bool {
	name = ascii.ToLower(name)
	return slices.Contains(settings, name) || slices.Contains([]string{"user-agent", "allow", "disallow"}, name)
}

func (r *reader) readPart(text string) error {
	f := r.file
	switch r.key {
	case "sitemap":
		if !isWritable(text) {
			return fmt.Errorf("%s: expected the URL of a sitemap, such as https://www.example.com/sitemap.xml", printable.Quote(text))
		}
		f.sitemaps = append(f.sitemaps, text)
		return nil
	case "record":
		return r.readRecord(text, &f.records)
	case "carriers":
		return r.readCarriers(text)
	case "expect":
		f.cases[r.line-1] = text
		return r.checkExpected(text)
	}
	return r.readStatement(text)
}

func isWritable(sitemap string) bool {
	_, err := record.Parse("Sitemap", sitemap)
	return err == nil && !strings.Contains(sitemap, "#") && printable.Text(sitemap) == sitemap
}

func (r *reader) readNames(names string) error {
	r.open = []*block{} // if a name is wrong, the indented lines below are about nobody
	var all []named
	inLine := map[subject]map[string]string{}
	for name := range strings.SplitSeq(names, ",") {
		name = strings.Trim(name, ascii.Space)
		some, err := r.whosNamed(name)
		if err != nil {
			return err
		}
		for _, n := range some {
			all = append(all, n)
			if inLine[n.subject] == nil {
				inLine[n.subject] = map[string]string{}
			}
			inLine[n.subject][ascii.ToLower(n.name)] = n.name
		}
	}
	for _, n := range all {
		if err := r.checkSameNames(n.subject, inLine[n.subject]); err != nil {
			return err
		}
	}
	for _, n := range all {
		if b := r.blockOf(n.subject, n.name, inLine[n.subject]); !slices.Contains(r.open, b) {
			r.open = append(r.open, b)
		}
	}
	return nil
}

// checkSameNames returns an error if an earlier line for a product token has other names. Crawlers read all these names as the
// same name, so two lines cannot give them different rules.
func (r *reader) checkSameNames(w subject, names map[string]string) error {
	b := r.file.byWho[w]
	if b == nil || w.token == "" || slices.Equal(slices.Sorted(maps.Keys(b.names)), slices.Sorted(maps.Keys(names))) {
		return nil
	}
	maps.Copy(names, b.names)
	var all []string
	for _, lower := range slices.Sorted(maps.Keys(names)) {
		all = append(all, wordFor(names[lower], w.token, r.table))
	}
	return fmt.Errorf("crawlers read %s as the same name (see line %d), so write all rules for them below one line with the names %s", strings.Join(all, " and "), b.line, strings.Join(all, ", "))
}

func (r *reader) blockOf(w subject, name string, names map[string]string) *block {
	b := r.file.byWho[w]
	if b == nil {
		b = &block{subject: w, name: name, names: names, line: r.line, index: len(r.file.blocks)}
		r.file.byWho[w] = b
		r.file.blocks = append(r.file.blocks, b)
	}
	return b
}

func (r *reader) whosNamed(name string) ([]named, error) {
	called, isCalled := strings.CutPrefix(name, "@")
	purposes := crawlernames.Purposes(called)
	switch {
	case name == "":
		return nil, errors.New("a name is missing before or after a comma: remove the comma, or add a name")
	case ascii.EqualFold(called, everyone), name == "*":
		return []named{{subject{}, called}}, nil
	case purposes != nil:
		var all []named
		for _, p := range purposes {
			all = append(all, named{subject{purpose: p}, called})
		}
		return all, nil
	case isCalled:
		return r.whosCalled(called)
	case !strings.HasPrefix(name, `"`) && isWord(name):
		if err := r.checkSpelling(name); err != nil {
			return nil, err
		}
	}
	plain := name
	if quoted, ok := strings.CutPrefix(name, `"`); ok && strings.HasSuffix(quoted, `"`) {
		plain = quoted[:len(quoted)-1]
	}
	if token := tokenOf(plain); token != "" && isWord(plain) {
		return []named{{subject{token: token}, plain}}, nil
	}
	return nil, errNameless(name)
}

func errNameless(name string) error {
	return fmt.Errorf(`a robots.txt cannot name %s; expected "everyone", a purpose (%s), or a product token such as Googlebot`,
		printable.Quote(name), strings.Join(printable.Words(crawlers.Purposes()), ", "))
}

// whosCalled returns whom a name after "@" means: an operator with several crawlers, or a crawler.
func (r *reader) whosCalled(name string) (all []named, err error) {
	found := crawlernames.Called(r.table, name)
	if len(found) == 0 {
		if err := r.checkPurpose("@" + name); err != nil {
			return nil, err
		}
		_, err := crawlernames.Known(r.table, name)
		return nil, fmt.Errorf("%s: %w", printable.Quote("@"+name), cmp.Or(err, errors.New(`write "everyone" to name all crawlers`)))
	}
	for _, c := range found {
		n := named{subject{token: tokenOf(c.Token)}, c.Token}
		if len(found) > 1 && strings.EqualFold(c.Operator, name) {
			n = named{subject{operator: ascii.ToLower(c.Operator)}, "@" + c.Operator}
		} else if n.token == "" {
			return nil, errNameless("@" + name)
		}
		if !slices.Contains(all, n) {
			all = append(all, n)
		}
	}
	return all, nil
}

func isWord(name string) bool {
	return len(name) <= crawlernames.MaxToken && strings.Trim(ascii.ToLower(name), "abcdefghijklmnopqrstuvwxyz0123456789_-.") == ""
}

// tokenOf returns, in lower case, the product token that crawlers read in the line "User-agent: name"; "" if there is
// none.
func tokenOf(name string) string { return ascii.ToLower(crawlers.Crawler{Token: name}.ReadAs()) }

func (r *reader) checkSpelling(name string) error {
	if _, known := r.table.Lookup(name); known {
		return nil
	}
	if err := r.checkPurpose(name); err != nil {
		return err
	}
	r.noteUnknown(name, spelling.Closest(name, crawlernames.TokensOf(r.table.All())))
	return nil
}

// checkPurpose returns an error if an unknown name is probably a purpose that is misspelt.
func (r *reader) checkPurpose(name string) error {
	purposes := append([]string{everyone, "ai-input"}, printable.Words(crawlers.Purposes())...)
	lower := ascii.ToLower(strings.TrimPrefix(name, "@"))
	if meant := spelling.Closest(lower, purposes); meant != "" {
		return fmt.Errorf(`%s is not a purpose; did you mean %s? If it is a product token, write it in quotes`, printable.Quote(name), meant)
	}
	if strings.HasPrefix(lower, "ai-") {
		return fmt.Errorf("%s is not a purpose; expected ai-training, ai-search, ai-user, or ai for all three. If it is a product token, write it in quotes", printable.Quote(name))
	}
	return nil
}

func (r *reader) noteUnknown(name, meant string) {
	lower := ascii.ToLower(name)
	if r.isQuiet || r.namesInNotes[lower] || len(r.notes) == maxTold {
		return
	}
	r.namesInNotes[lower] = true
	note := fmt.Sprintf("%s:%d: %s is not a known crawler", r.file.Name, r.line, printable.Quote(name))
	called := crawlernames.Called(r.table, name)
	switch read, _ := robotstxt.RFC9309.ReadAgent(name); {
	case len(called) > 0:
		note += fmt.Sprintf(`; "@%s" means all crawlers of this operator: %s`, called[0].Operator, printable.Some(crawlernames.TokensOf(slices.Values(called)), ", "))
	case meant != "":
		note += "; did you mean " + meant + "?"
	case read != name:
		note += fmt.Sprintf("; crawlers read only %s of this name", printable.Quote(read))
	}
	r.notes = append(r.notes, note)
}

func (r *reader) checkExpected(text string) error {
	words := strings.Fields(text)
	if len(words) < 2 {
		return nil
	}
	for _, name := range crawlernames.Names(words[1]) {
		if known, ok := strings.CutPrefix(name, "@"); ok {
			if _, err := crawlernames.Known(r.table, known); err != nil {
				return fmt.Errorf("agent %s: %w", printable.Quote(name), err)
			}
		} else if meant := crawlernames.Meant(r.table, name); meant != "" {
			r.noteUnknown(name, meant)
		}
	}
	return nil
}

func (r *reader) readStatement(text string) error {
	words := strings.FieldsFunc(text, func(c rune) bool { return c < 0x80 && ascii.IsSpace(byte(c)) })
	words[0] = verbOf(words[0])
	if words[0] == "only" {
		for _, b := range r.open {
			b.isAlone = true
		}
		if words = words[1:]; len(words) == 0 {
			return nil
		}
		if words[0] = verbOf(words[0]); words[0] != "allow" && words[0] != "disallow" {
			return errors.New(`after "only", expected "allow", "disallow" or nothing`)
		}
	}
	switch words[0] {
	case "allow", "disallow":
		return r.readRules(words[0] == "allow", words[1:])
	case "crawl-delay":
		return r.readDelay(words[1:])
	case "usage":
		return r.readWishes(words[1:])
	case "inherit": // readNames has already made the block
		if len(words) > 1 {
			return errors.New(`expected nothing after "inherit"`)
		}
		if slices.Contains(r.open, r.file.byWho[subject{}]) {
			return errors.New(`"everyone" cannot inherit; name the crawlers that should inherit the rules of everyone, such as "AdsBot-Google: inherit"`)
		}
		return nil
	case "record":
		for _, b := range r.open {
			if err := r.readRecord(strings.Trim(text[len("record"):], ascii.Space), &b.records); err != nil {
				return err
			}
		}
		return nil
	}
	if meant := spelling.Closest(words[0], []string{"allow", "disallow", "only", "inherit", "crawl-delay", "usage", "record"}); meant != "" {
		return fmt.Errorf("%s is unknown here; did you mean %s?", printable.Quote(words[0]), meant)
	}
	return fmt.Errorf(`%s is unknown here; expected "allow", "disallow", "only allow", "only disallow", "inherit", "crawl-delay", "usage" or "record"`, printable.Quote(words[0]))
}

// verbOf also accepts "Disallow:", because people copy lines of a robots.txt into a policy.
func verbOf(word string) string { return ascii.ToLower(strings.TrimSuffix(word, ":")) }

func checkPath(word string) error {
	switch _, rest, isURL := strings.Cut(word, "://"); {
	case word[0] == '/' || word[0] == '*':
		return checkWord(word)
	case slices.Contains([]string{"allow", "disallow", "only", "except", "inherit"}, verbOf(word)):
		return fmt.Errorf(`%s is not a path: write "allow" and "disallow" on separate lines`, printable.Quote(word))
	case isURL && strings.Contains(rest, "/"):
		return fmt.Errorf("%s: expected a path; did you mean %s?", printable.Quote(word), printable.Quote(rest[strings.IndexByte(rest, '/'):]))
	}
	return fmt.Errorf(`%s: a path begins with "/" or "*"; did you mean %s?`, printable.Quote(word), printable.Quote("/"+word))
}

func (r *reader) readRules(allow bool, paths []string) error {
	if len(paths) == 0 {
		paths = []string{"/"}
	}
	for _, path := range paths {
		if err := checkPath(path); err != nil {
			return err
		}
		one := newRule(robotstxt.Rule{Allow: allow, Pattern: path, Line: r.line})
		if r.work += len(r.open); r.work > maxWork {
			return errTooMuch
		}
		for _, b := range r.open {
			b.rules = append(b.rules, one)
			b.isClosed = b.isClosed || one.isForSite() && !allow
		}
	}
	return nil
}

func checkWord(path string) error {
	if strings.ContainsFunc(path, func(c rune) bool { return c == '#' || c < ' ' || c == 0x7f }) {
		return fmt.Errorf(`%s: the path has "#" or a control character, which a robots.txt cannot have in a path: percent-encode it, for example "#" as %%23`, printable.Quote(path))
	}
	return nil
}

func (r *reader) readDelay(words []string) error {
	if len(words) != 1 {
		return errors.New(`expected "crawl-delay SECONDS", such as "crawl-delay 10", or "crawl-delay none"`)
	}
	if _, err := record.Parse("Crawl-delay", words[0]); err != nil && words[0] != "none" {
		return fmt.Errorf(`crawl-delay %s: expected a number of seconds, or "none"`, printable.Quote(words[0]))
	}
	for _, b := range r.open {
		if b.delay != "" && b.delay != words[0] {
			return fmt.Errorf("the policy has two crawl delays for %s, %s and %s: keep only one", b.title(), b.delay, words[0])
		}
		b.delay = words[0]
	}
	return nil
}

func (r *reader) readWishes(words []string) error {
	if len(words) == 0 {
		return errors.New(`expected "usage PREFERENCES", such as "usage train-ai=n,search=y"`)
	}
	answer, err := readAnswer(words[0])
	if err != nil {
		return err
	}
	paths := words[1:]
	if len(paths) == 0 {
		paths = []string{"/"}
	}
	for _, path := range paths {
		if path[0] != '/' || strings.ContainsAny(path, "*$") {
			return fmt.Errorf(`%s: expected a path that begins with "/", without "*" and "$"`, printable.Quote(path))
		}
		if err := checkWord(path); err != nil {
			return err
		}
		for _, b := range r.open {
			if err := b.addWish(keyOf(path), answer); err != nil {
				return err
			}
		}
	}
	return nil
}

const maxWishes = 100

func (b *block) addWish(path string, answer usage.Answer) error {
	for i := range b.wishes {
		w := &b.wishes[i]
		if w.path != path {
			continue
		}
		for _, p := range usage.Purposes() {
			if areOpposite(w.answer[p], answer[p]) {
				return fmt.Errorf("%s has the value y and the value n for %s and the path %s: give it only one value", p, b.title(), printable.Text(path))
			}
		}
		w.answer = filled(w.answer, answer)
		return nil
	}
	if len(b.wishes) == maxWishes {
		return fmt.Errorf("the policy has more than %d paths with preferences for %s: write fewer", maxWishes, b.title())
	}
	b.wishes = append(b.wishes, wish{path, answer})
	return nil
}

func (b *block) title() string { return cmp.Or(b.name, everyone) }

func readAnswer(text string) (answer usage.Answer, err error) {
	all, err := usage.ParsePreferences(text)
	for _, v := range all {
		if v.Preference != usage.Allowed && v.Preference != usage.Disallowed {
			return answer, fmt.Errorf("%s=%s cannot be used in a policy; expected the value y or n", v.Purpose, v.Preference)
		}
		if answer[v.Purpose] != usage.Unknown && answer[v.Purpose] != v.Preference {
			return answer, fmt.Errorf("%s has the value y and the value n: give it only one value", v.Purpose)
		}
		answer[v.Purpose] = v.Preference
	}
	return answer, err
}

func (r *reader) readRecord(text string, to *[]string) error {
	key, value, ok := strings.Cut(text, ":")
	key, value = strings.Trim(key, ascii.Space), strings.Trim(value, ascii.Space)
	if line := key + ": " + value; !ok || key == "" || value == "" || !isRecord(line) {
		return fmt.Errorf(`%s: expected the word record, and after it a line of a robots.txt that has no comment, such as "record Request-rate: 1/10"; User-agent, Allow, Disallow, Sitemap and Crawl-delay cannot be used here, because a policy has other words for them`, printable.Quote(text))
	}
	if info, _ := record.Lookup(key); info.BindsFile && to != &r.file.records {
		return fmt.Errorf(`%s applies to the whole robots.txt, not to one crawler: write "record: %[1]s: …" without the name of a crawler`, printable.Text(key))
	}
	*to = append(*to, key+": "+value)
	return nil
}

// isRecord reports whether every dialect reads the line as one record, and not as a rule, a sitemap or a crawl delay.
func isRecord(line string) bool {
	if printable.Text(line) != line || strings.Contains(line, "#") || ascii.EqualFold(strings.TrimRight(line[:strings.IndexByte(line, ':')], ascii.Space), "crawl-delay") {
		return false
	}
	for _, d := range robotstxt.Dialects() {
		for read := range robotstxt.ParseString(line, d).Lines() {
			if read.Kind != robotstxt.KindOther || read.Raw != line {
				return false
			}
		}
	}
	return true
}

func (r *reader) readCarriers(text string) error {
	for _, name := range strings.FieldsFunc(text, func(c rune) bool { return strings.ContainsRune(ascii.Space+",", c) }) {
		carrier := usage.Carrier(ascii.ToLower(name))
		if !slices.Contains(writtenCarriers, carrier) {
			return fmt.Errorf("carriers: %s is no line of a robots.txt with preferences; expected one or more of %s", printable.Quote(name), strings.Join(printable.Words(writtenCarriers), ", "))
		}
		if !slices.Contains(r.file.carriers, carrier) {
			r.file.carriers = append(r.file.carriers, carrier)
		}
	}
	return nil
}

var writtenCarriers = []usage.Carrier{usage.ContentUsage, usage.ContentSignal, usage.PurposeToken}

func (r *reader) checkContradictions() {
	for _, b := range r.file.blocks {
		if _, isToken := usage.TokenNamed(b.name); b.isAlone && !isToken && len(b.rules) > 0 && !slices.ContainsFunc(b.rules, func(one rule) bool { return !one.Allow || one.isForSite() }) {
			first := b.rules[0]
			r.wrong = append(r.wrong, &Error{r.file.Name, first.Line, fmt.Errorf(`the block has "only" and allows paths, but disallows nothing, so all other paths are allowed too. To allow only these paths for %s, write "%[1]s: disallow" and "%[1]s: allow %[2]s"`,
				b.title(), printable.Text(first.Pattern))})
		}
		seen := map[string]rule{}
		for _, one := range b.rules {
			if other, ok := seen[one.key]; ok && other.Allow != one.Allow {
				r.wrong = append(r.wrong, &Error{r.file.Name, one.Line, fmt.Errorf("%s is both allowed and disallowed for %s (see line %d): keep only one of the two lines",
					printable.Text(one.Pattern), b.title(), other.Line)})
				continue
			}
			seen[one.key] = one
		}
	}
}

func seconds(delay string) float64 {
	n, _ := strconv.ParseFloat(delay, 64)
	return n
}

func (f *File) Sitemaps() []string { return f.sitemaps }
