// Package crawlernames reads the names of crawlers that people write in case files and on the command line.
package crawlernames

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/heed-robots/heed/crawlers"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/internal/spelling"
	"github.com/heed-robots/heed/robotstxt"
	"github.com/heed-robots/heed/usage"
)

// WithoutGroup stands for compare.Everyone in texts for people.
const WithoutGroup = "all crawlers without a group"

// A Crawler is a crawler that a value names.
type Crawler struct {
	Name   string   // as people wrote it; for "@NAME", see named
	Tokens []string // the product tokens for questions in a dialect, the most specific first
}

// Crawlers reads the names of crawlers, separated by commas:
//
//	Googlebot,bingbot            two crawlers with one token each
//	Googlebot-Image:Googlebot    one crawler with two tokens
//	@NAME                        the crawlers of the table that NAME means, see named
//	Foo/1.0 (a, b)               a User-Agent header: one crawler, and one token
//
// A nil table means crawlers.Known().
func Crawlers(value string, table *crawlers.Table, d *robotstxt.Dialect) (all []Crawler, err error) {
	for _, name := range Names(value) {
		if name == "" {
			return nil, ErrMissing(value)
		}
		tokens, _, err := Chain(name)
		if err := cmp.Or(err, Check(tokens), CheckRead(d, tokens)); err != nil {
			return nil, err
		}
		some, err := Several(table, tokens, d)
		if err != nil {
			return nil, err
		}
		if len(some) == 1 && some[0].Name == "" {
			some[0].Name = name
		}
		all = append(all, some...)
	}
	return all, nil
}

// ErrMissing is for a value with a comma at its start or its end, or with two commas together.
func ErrMissing(value string) error {
	return fmt.Errorf("agent %q: a name is missing before or after a comma; write several crawlers with commas and without spaces, such as Googlebot,bingbot", value)
}

// Names splits a value at its commas. A value that looks like a User-Agent header is one name.
func Names(value string) []string {
	names := strings.Split(value, ",")
	for i := range names {
		names[i] = strings.TrimSpace(names[i])
	}
	if slices.ContainsFunc(names, LooksLikeHeader) {
		return []string{value}
	}
	return names
}

// Chain splits a name such as "Googlebot-Image:Googlebot" into product tokens. isKnown is true for "@NAME".
func Chain(name string) (tokens []string, isKnown bool, err error) {
	if LooksLikeHeader(name) {
		return []string{name}, false, nil
	}
	tokens = strings.Split(name, ":")
	for _, token := range tokens {
		switch {
		case strings.HasPrefix(token, "@") && len(tokens) > 1:
			return nil, false, fmt.Errorf("agent %q: @NAME already means all product tokens of a crawler: write @NAME alone, or several tokens with colons between them and without \"@\"", name)
		case token == "":
			return nil, false, fmt.Errorf("agent %q: a product token is missing before or after \":\"; write for example Googlebot-Image:Googlebot", name)
		}
	}
	if tokens[0] == robotstxt.NotEveryone {
		return nil, false, fmt.Errorf("agent %q: a product token is missing before %s; write for example shopbot:%s", name, tokens[0], tokens[0])
	}
	return tokens, strings.HasPrefix(name, "@"), nil
}

// Name returns the name from which Chain would return these tokens. If the crawler does not follow groups for "*", the name
// is like "@AdsBot-Google".
func Name(tokens []string) string {
	if n := len(tokens); n > 1 && tokens[n-1] == robotstxt.NotEveryone {
		return "@" + tokens[0]
	}
	return strings.Join(tokens, ":")
}

// Shown returns a crawler's name for people. If crawlers read only the start of the name in User-agent lines, Shown
// adds this start in brackets: "MJ12bot (MJ)".
func Shown(table *crawlers.Table, tokens []string, d *robotstxt.Dialect) string {
	name := Name(tokens)
	if len(tokens) == 0 {
		return name
	}
	c, _ := cmp.Or(table, crawlers.Known()).Lookup(tokens[0])
	if as, _ := d.ReadAgent(c.Token); as != c.Token && as != "" {
		name += " (" + as + ")"
	}
	return name
}

// ShownInFile does the same as Shown, for a token that is in a file. If the token is only the start of the names of known
// crawlers, ShownInFile returns the first of these names: "MJ12bot (MJ)" for "MJ".
func ShownInFile(table *crawlers.Table, tokens []string, d *robotstxt.Dialect) string {
	if len(tokens) > 0 {
		c, _ := cmp.Or(table, crawlers.Known()).ReadAs(tokens[0])
		if as, _ := d.ReadAgent(c.Token); as == tokens[0] {
			tokens = append([]string{c.Token}, tokens[1:]...)
		}
	}
	return Shown(table, tokens, d)
}

// Counted returns for example "31 crawlers and 2 purpose tokens". It says "product tokens" if crawlers may share one of the
// names, as AI2Bot and Ai2Bot-Dolma share "AI".
func Counted(names []string) string {
	tokens, what := 0, "crawler"
	for _, name := range names {
		if _, isToken := usage.TokenNamed(name); isToken {
			tokens++
		} else if c, ok := crawlers.Known().ReadAs(name); ok && len(name) < len(c.Token) {
			what = "product token"
		}
	}
	text := printable.Counted(tokens, "purpose token")
	switch {
	case tokens == 0:
		return printable.Counted(len(names), what)
	case tokens == len(names):
		return text
	}
	return printable.Counted(len(names)-tokens, what) + " and " + text
}

// CountedBy does the same as Counted for crawlers with several tokens each. It counts a crawler by its first token.
func CountedBy[C any](all []C, tokens func(C) []string) string {
	var names []string
	for _, c := range all {
		names = append(names, tokens(c)[0])
	}
	return Counted(names)
}

// OnlyEveryone says which groups can apply to a known crawler that no User-agent line can name, such as 360Spider. Whether the
// crawler follows them, see crawlers.Crawler.ObeysWildcard.
const OnlyEveryone = `only a group for "*" can apply`

// NamelessNote comes before the names of crawlers that no User-agent line can name.
const NamelessNote = "no User-agent line can name these crawlers; " + OnlyEveryone + ": "

// Nameless returns the name that people see for crawlers that no User-agent line can name, such as "360Spider (*)".
func Nameless(tokens []string) string { return strings.Join(tokens, " and ") + " (*)" }

// LooksLikeHeader reports whether a name is a User-Agent header, or a token with a version ("Foo/1.0"). After "@", the name
// of an operator may have spaces.
func LooksLikeHeader(s string) bool {
	return !strings.HasPrefix(s, "@") && strings.ContainsAny(s, " /();")
}

// ReadAgent does the same as d.ReadAgent, with one difference. In the dialect google too, ReadAgent returns the product token
// in a User-Agent header. Google's parser accepts any text as the name of a crawler, but Google's crawlers use their product
// tokens.
func ReadAgent(d *robotstxt.Dialect, name string) (token string, ok bool) {
	if IsGoogle(d) && LooksLikeHeader(name) {
		if token, ok = robotstxt.RFC9309.ReadAgent(name); ok {
			return token, true
		}
	}
	return d.ReadAgent(name)
}

// IsGoogle reports whether a dialect is robotstxt.Google with any limit.
func IsGoogle(d *robotstxt.Dialect) bool { return d.String() == robotstxt.Google.String() }

// CheckRead returns an error for a token such as "bad!", which the dialect reads as "bad".
func CheckRead(d *robotstxt.Dialect, tokens []string) error {
	for _, token := range tokens {
		read, ok := d.ReadAgent(token)
		if !ok || read == token || LooksLikeHeader(token) {
			continue
		}
		if err := CheckLetters(token, read); err != nil {
			return err
		}
	}
	return nil
}

// CheckLetters returns an error if a name has a character that no crawler's name has, such as "!". The parameter start is
// the part of the name that crawlers read.
func CheckLetters(name, start string) error {
	for _, r := range name {
		if !strings.ContainsRune(nameLetters, r) {
			return fmt.Errorf("agent %q: a product token cannot contain %q, but only letters, \"_\" and \"-\"; crawlers read a User-agent line with this name as %q, so use %q",
				name, string(r), start, start)
		}
	}
	return nil
}

const nameLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"

// PurposeNames returns the names that Purposes knows.
func PurposeNames() (names []string) {
	for _, p := range crawlers.Purposes() {
		names = append(names, string(p))
	}
	return append(names, "ai", "ai-input")
}

// Purposes returns the purposes that a name means, in any letter case. The name is a purpose such as "search", or a set of
// purposes such as "ai". For any other name, Purposes returns nil.
func Purposes(name string) []crawlers.Purpose {
	switch p := crawlers.Purpose(strings.ToLower(name)); {
	case p == "ai":
		return []crawlers.Purpose{crawlers.AITraining, crawlers.AISearch, crawlers.AIUser}
	case p == "ai-input":
		return []crawlers.Purpose{crawlers.AISearch, crawlers.AIUser}
	case slices.Contains(crawlers.Purposes(), p):
		return []crawlers.Purpose{p}
	}
	return nil
}

// ForAny returns the crawlers that have one of the purposes.
func ForAny(table *crawlers.Table, purposes []crawlers.Purpose) (found []crawlers.Crawler) {
	for c := range table.All() {
		if slices.ContainsFunc(c.Purposes, func(p crawlers.Purpose) bool { return slices.Contains(purposes, p) }) {
			found = append(found, c)
		}
	}
	return found
}

// Known returns the crawlers that a name after "@" means. The name is that of a crawler or an operator (see Called), one that
// Purposes knows, or "known", which means all known crawlers. For R-23, see Crawler.Agents.
func Known(table *crawlers.Table, name string) ([]crawlers.Crawler, error) {
	table = cmp.Or(table, crawlers.Known())
	purposes := Purposes(name)
	switch called := Called(table, name); {
	case len(called) > 0:
		return called, nil
	case strings.ToLower(name) == "known":
		return slices.Collect(table.All()), nil
	case purposes != nil:
		return ForAny(table, purposes), nil
	case name == "*":
		return nil, errors.New(`no known crawler has this name; use '*' for a crawler without a group, or @known for all known crawlers`)
	}
	if meant := Meant(table, "@"+name); meant != "" {
		return nil, fmt.Errorf("no known crawler has this name; did you mean %s?", meant)
	}
	return nil, fmt.Errorf(`no known crawler has this name; expected a crawler or an operator that the command "heed crawlers" lists, such as @Googlebot or @OpenAI, or a set of crawlers: %s`,
		strings.Join(sets(), ", "))
}

// Meant returns the crawler or "@NAME" that a misspelt name probably means. It returns "" if there
// is none.
func Meant(table *crawlers.Table, name string) string {
	table = cmp.Or(table, crawlers.Known())
	one, isKnown := strings.CutPrefix(name, "@")
	if _, ok := table.Lookup(one); ok || one == "" || !isKnown && len(name) < 5 {
		return ""
	}
	if isKnown {
		names := sets()
		if slices.Contains(names, strings.ToLower(name)) {
			return ""
		}
		for _, known := range NamesAndOperators(table) {
			names = append(names, "@"+known)
		}
		return spelling.Closest(name, names)
	}
	for c := range table.All() {
		if spelling.AreOneApart(name, c.Token) {
			return c.Token
		}
	}
	return ""
}

// Called returns the crawlers with a name, in any letter case. First comes the crawler with this product token or other
// name. Then come all other crawlers of the operator with this name.
func Called(table *crawlers.Table, name string) (found []crawlers.Crawler) {
	one, isNamed := table.Named(name)
	if isNamed {
		found = append(found, one)
	}
	for c := range table.All() {
		if strings.EqualFold(c.Operator, name) && c.Token != one.Token {
			found = append(found, c)
		}
	}
	return found
}

// ReadAs returns all known crawlers of whose product token a User-agent line has only this name, in any letter case: three for
// "AI".
func ReadAs(table *crawlers.Table, name string) (found []crawlers.Crawler) {
	for c := range table.All() {
		if as := c.ReadAs(); as != "" && strings.EqualFold(as, name) {
			found = append(found, c)
		}
	}
	return found
}

// NamesAndOperators returns the names that Called knows.
func NamesAndOperators(table *crawlers.Table) []string {
	names := TokensOf(table.All())
	for c := range table.All() {
		names = append(append(names, c.Names...), c.Operator)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func TokensOf(rows iter.Seq[crawlers.Crawler]) []string {
	var tokens []string
	for c := range rows {
		tokens = append(tokens, c.Token)
	}
	return tokens
}

func sets() []string {
	names := []string{"@known"}
	for _, name := range PurposeNames() {
		names = append(names, "@"+name)
	}
	return names
}

// Agents returns the product tokens with which a dialect checks a known crawler. If no User-agent line can name the
// crawler, it returns "*".
func Agents(c *crawlers.Crawler, d *robotstxt.Dialect) []string {
	chain := c.Chain
	if chain == nil {
		chain = []string{c.Token}
	}
	var agents []string
	for _, token := range chain {
		inLine := d.AgentIn(robotstxt.Line{Kind: robotstxt.KindUserAgent, Value: token}).Name
		if name, _ := d.ReadAgent(token); name != inLine {
			token = inLine
		}
		if inLine != "" {
			agents = append(agents, token)
		}
	}
	switch {
	case len(agents) == 0:
		return []string{"*"}
	case c.ObeysWildcard == crawlers.No:
		return append(agents, robotstxt.NotEveryone)
	}
	return agents
}

// named returns the crawlers that a name after "@" means. Crawlers whose product tokens differ at most in letter case become
// one Crawler. Only the Crawler with the token "*" has a Name: it is for all crawlers that no User-agent line can name.
func named(table *crawlers.Table, name string, d *robotstxt.Dialect) (all []Crawler, err error) {
	some, err := Known(table, name)
	if err != nil {
		return nil, err
	}
	var nameless []string
	for _, c := range some {
		tokens := Agents(&c, d)
		if tokens[0] == "*" {
			nameless = append(nameless, c.Token)
		}
		if !slices.ContainsFunc(all, func(other Crawler) bool { return slices.EqualFunc(other.Tokens, tokens, strings.EqualFold) }) {
			all = append(all, Crawler{Tokens: tokens})
		}
	}
	for i := range all {
		if all[i].Tokens[0] == "*" {
			all[i].Name = Nameless(nameless)
		}
	}
	if len(all) == 0 {
		return nil, errors.New("no known crawler has this purpose; name a crawler, such as @Googlebot")
	}
	return all, nil
}

// IsNameless reports whether a token belongs to a known crawler that no User-agent line can name, such as 360Spider.
func IsNameless(table *crawlers.Table, token string, d *robotstxt.Dialect) bool {
	c, ok := cmp.Or(table, crawlers.Known()).Lookup(token)
	return ok && Agents(&c, d)[0] == "*"
}

// Tokens returns the product tokens of one crawler: the given ones, or those of "@NAME".
func Tokens(table *crawlers.Table, given []string, d *robotstxt.Dialect) ([]string, error) {
	all, err := Several(table, given, d)
	switch {
	case err != nil:
		return nil, err
	case len(all) > 1:
		i := slices.IndexFunc(all, func(c Crawler) bool { return c.Tokens[0] != "*" })
		return nil, fmt.Errorf("agent %q: this means %s; expected one, such as %s", given[0],
			CountedBy(all, func(c Crawler) []string { return c.Tokens }), Name(all[i].Tokens))
	}
	return all[0].Tokens, nil
}

// InDialect returns the product tokens of one crawler in a dialect.
type InDialect func(d *robotstxt.Dialect) []string

// Each returns the function that does the same as Tokens in each dialect. It returns the given tokens if Tokens returns
// an error.
func Each(table *crawlers.Table, given []string) InDialect {
	return func(d *robotstxt.Dialect) []string {
		if tokens, err := Tokens(table, given, d); err == nil {
			return tokens
		}
		return given
	}
}

// CheckOne returns an error if Crawlers would read one of the given product tokens of a crawler as several crawlers or tokens.
func CheckOne(given []string) error {
	for _, name := range given {
		switch {
		case len(Names(name)) > 1:
			return fmt.Errorf("agent %q: a comma separates crawlers; expected one crawler, such as Googlebot", name)
		case !LooksLikeHeader(name) && strings.Contains(name, ":"):
			return fmt.Errorf("agent %q: a colon separates product tokens; expected one, or a list such as [\"Googlebot-Image\", \"Googlebot\"]", name)
		}
	}
	return nil
}

// Asked returns the checked product tokens of the member "agent" in a question; see Tokens.
func Asked(table *crawlers.Table, given []string, d *robotstxt.Dialect) ([]string, error) {
	if err := Check(given); err != nil {
		return nil, fmt.Errorf(`"agent": %w`, err)
	}
	tokens, err := Tokens(table, given, d)
	return tokens, cmp.Or(err, CheckRead(d, given))
}

func withoutHeaders(given []string, d *robotstxt.Dialect) []string {
	tokens := slices.Clone(given)
	for i, name := range given {
		if token, ok := ReadAgent(d, name); ok && LooksLikeHeader(name) {
			tokens[i] = token
		}
	}
	return tokens
}

// Several does the same as Tokens, but the name may mean several crawlers, as "@search" does. The function named says which
// names such crawlers get.
func Several(table *crawlers.Table, given []string, d *robotstxt.Dialect) ([]Crawler, error) {
	if err := CheckOne(given); err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(given, func(token string) bool { return strings.HasPrefix(token, "@") }); i < 0 {
		if len(given) == 1 && IsNameless(table, given[0], d) {
			return []Crawler{{Tokens: []string{"*"}}}, nil
		}
		return []Crawler{{Tokens: withoutHeaders(given, d)}}, nil
	} else if len(given) > 1 {
		return nil, fmt.Errorf("agent %q: @NAME already means all product tokens of a crawler: give @NAME alone, or only tokens without \"@\"", given[i])
	}
	all, err := named(table, given[0][1:], d)
	if err != nil {
		return nil, fmt.Errorf("agent %q: %w", given[0], err)
	}
	return all, nil
}
