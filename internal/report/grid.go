package report

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"github.com/heed-robots/heed/robotstxt"
	"github.com/heed-robots/heed/usage"
)

// A Grid has the decisions about some URLs for some crawlers, and the rules of the robots.txt.
type Grid struct {
	Dialect  string  `json:"dialect"`         // the dialect in which the robots.txt was read
	Crawlers []Agent `json:"crawlers"`        // the crawlers, in the order in which they were given; several for a name such as "@search"
	Facts    []Facts `json:"facts,omitempty"` // one for each crawler; absent if nothing is known about any of the crawlers
	// For each crawler, the name that was probably meant. It is "" if the name is not misspelt. The
	// list is absent if no name is misspelt.
	Meant []string `json:"meant,omitempty"`
	// For each crawler, the product token as which its name is read. It is "" if the name is read
	// as it is. The list is absent if all names are read as they are.
	ReadAs []string `json:"read_as,omitempty"`
	Rows   []Row    `json:"rows"` // one row for each URL, in the order in which the URLs were given
	// All Allow and Disallow lines that belong to a group, in file order. Empty if the question asked for a brief answer.
	Rules []Decider `json:"rules"`
	Size  int       `json:"size"` // the size of the robots.txt in bytes; 0 if there is none

	Records *Records `json:"records,omitempty"` // the records of the robots.txt; absent if the question does not ask for records
}

// A Row has the decisions about one URL.
type Row struct {
	URL    string `json:"url"` // the URL as it was given
	URLB64 []byte `json:"url_b64,omitempty"`
	Cells  []Cell `json:"cells"` // one cell for each crawler
}

// A Cell is the decision about one URL for one crawler.
type Cell struct {
	Decision
	Error string `json:"error,omitempty"` // why there is no decision: the URL or the crawler cannot be used; absent if there is a decision
	// What the page may be used for, such as "train-ai=n, search=y". Absent if unknown, or if the page is disallowed.
	Usage string `json:"usage,omitempty"`
}

// A Decider is a rule, and how often it decides.
type Decider struct {
	Rule
	Applies bool `json:"applies"` // true if the group of the rule applies to one of the crawlers
	Decides int  `json:"decides"` // the number of cells in which the rule decides
}

// maxGridText limits the bytes of all patterns in the cells. Without a limit, long rules could make a very large answer.
const maxGridText = 8 << 20

var errGridText = errors.New("the answer would be too large, because the rules in it are very long; ask about fewer URLs or crawlers")

// ErrTarget is the error for a URL whose decision has the reason robotstxt.InvalidTarget.
var ErrTarget = errors.New(`heed cannot compare this URL with rules; expected a path, such as "/cart", or an absolute URL, such as "https://www.example.com/cart"`)

// GridOf checks URLs for crawlers. If brief is true, the Grid has no Rules, which saves time. The caller sets Size.
func GridOf(ctx context.Context, f *robotstxt.File, crawlers [][]string, urls []string, brief bool) (Grid, error) {
	policies := make([]*robotstxt.Policy, len(crawlers))
	for i, tokens := range crawlers {
		if err := ctx.Err(); err != nil {
			return Grid{}, err
		}
		policies[i] = f.Agent(tokens...)
	}
	return GridBy(ctx, f, crawlers, urls, brief, func(crawler int, url string) (robotstxt.Decision, error) {
		return policies[crawler].Check(url), nil
	})
}

// GridBy is like GridOf, but gets each decision from the function decide. If decide returns an error, this is the error of
// the cell.
func GridBy(ctx context.Context, f *robotstxt.File, crawlers [][]string, urls []string, brief bool, decide func(crawler int, url string) (robotstxt.Decision, error)) (Grid, error) {
	g := Grid{Dialect: f.Dialect().String(), Crawlers: []Agent{}, Rows: make([]Row, len(urls)), Rules: []Decider{}}
	ruleOf := sharedRules()
	if !brief {
		g.Rules, ruleOf = decidersOf(f, crawlers), g.counted
	}
	for _, tokens := range crawlers {
		g.Crawlers, g.Facts = append(g.Crawlers, AgentOf(tokens)), append(g.Facts, FactsOf(nil, tokens))
	}
	if !slices.ContainsFunc(g.Facts, func(f Facts) bool { return f != Facts{} }) {
		g.Facts = nil
	}
	text := 0
	for i, url := range urls {
		if err := ctx.Err(); err != nil {
			return Grid{}, err
		}
		u := TextOf(url)
		g.Rows[i] = Row{u.Text, u.B64, make([]Cell, len(crawlers))}
		for j := range crawlers {
			d, err := decide(j, url)
			cell := cellOf(d, err, ruleOf)
			if r := cell.Rule; r != nil {
				text += len(r.Pattern) + len(r.PatternB64)
			}
			g.Rows[i].Cells[j] = cell
		}
		if text > maxGridText {
			return Grid{}, errGridText
		}
	}
	return g, g.addUses(ctx, f, crawlers, urls)
}

// The usage policy of a crawler can be large, so only one of them is in memory at a time.
func (g *Grid) addUses(ctx context.Context, f *robotstxt.File, crawlers [][]string, urls []string) error {
	uses := usage.Read(f)
	for j, tokens := range crawlers {
		if err := ctx.Err(); err != nil {
			return err
		}
		policy := uses.For(usage.Options{}, tokens...)
		for i, url := range urls {
			if cell := &g.Rows[i].Cells[j]; cell.Allowed && cell.Error == "" {
				cell.Usage = policy.Check(url, true, nil).String()
			}
		}
	}
	return nil
}

func decidersOf(f *robotstxt.File, crawlers [][]string) []Decider {
	applies := map[int]bool{} // by the number of the group
	for _, tokens := range crawlers {
		for _, group := range f.Agent(tokens...).GroupsThatApply() {
			applies[group] = true
		}
	}
	all, number := []Decider{}, 0
	for group := range f.Groups() {
		all = slices.Grow(all, len(group.Rules))
		for _, r := range group.Rules {
			all = append(all, Decider{Rule: *RuleOf(r), Applies: applies[number]})
		}
		number++
	}
	return all
}

func cellOf(d robotstxt.Decision, err error, ruleOf func(robotstxt.Rule) *Rule) Cell {
	c := Cell{Decision: Decision{Allowed: d.Allowed, Reason: d.Reason}}
	switch {
	case err != nil:
		return Cell{Decision: Decision{Reason: d.Reason}, Error: err.Error()}
	case d.Reason == robotstxt.InvalidTarget:
		c.Error = ErrTarget.Error()
	case d.Reason == robotstxt.InvalidAgent:
		c.Error = `the crawler has no product token in it (letters, "_" and "-")`
	case d.Reason == robotstxt.ByRule:
		c.Rule = ruleOf(d.Rule)
	}
	return c
}

func (g *Grid) counted(r robotstxt.Rule) *Rule {
	i, _ := slices.BinarySearchFunc(g.Rules, r.Line, func(r Decider, line int) int { return r.Line - line })
	g.Rules[i].Decides++
	return &g.Rules[i].Rule
}

func sharedRules() func(robotstxt.Rule) *Rule {
	known := map[int]*Rule{}
	return func(r robotstxt.Rule) *Rule {
		if known[r.Line] == nil {
			known[r.Line] = RuleOf(r)
		}
		return known[r.Line]
	}
}

// AppendJSON appends the JSON of the grid to dst. It is fast, because the web page calls it at each keystroke.
func (g *Grid) AppendJSON(dst []byte) []byte { return append(g.AppendFields(append(dst, '{')), '}') }

// AppendFields appends the members of the JSON object, without the braces around them.
func (g *Grid) AppendFields(dst []byte) []byte {
	const usualRule = 80 // the usual size of a rule in JSON, in bytes
	dst = slices.Grow(dst, usualRule*len(g.Rules))
	dst = appendText(dst, `"dialect":`, g.Dialect)
	dst = appendAgents(append(dst, `,"crawlers":`...), g.Crawlers)
	if len(g.Facts) > 0 {
		dst = appendList(dst, `,"facts":`, g.Facts, func(dst []byte, f *Facts) []byte { return f.appendJSON(dst) })
	}
	if len(g.Meant) > 0 {
		dst = appendList(dst, `,"meant":`, g.Meant, func(dst []byte, name *string) []byte { return appendText(dst, "", *name) })
	}
	if len(g.ReadAs) > 0 {
		dst = appendList(dst, `,"read_as":`, g.ReadAs, func(dst []byte, name *string) []byte { return appendText(dst, "", *name) })
	}
	dst = appendList(dst, `,"rows":`, g.Rows, func(dst []byte, r *Row) []byte { return r.appendJSON(dst) })
	dst = appendList(dst, `,"rules":`, g.Rules, func(dst []byte, d *Decider) []byte {
		dst = strconv.AppendBool(append(d.Rule.appendFields(append(dst, '{')), `,"applies":`...), d.Applies)
		dst = append(dst, `,"decides":`...)
		return append(strconv.AppendInt(dst, int64(d.Decides), 10), '}')
	})
	dst = strconv.AppendInt(append(dst, `,"size":`...), int64(g.Size), 10)
	if g.Records != nil {
		dst = AppendJSON(append(dst, `,"records":`...), g.Records)
	}
	return dst
}

func (r *Row) appendJSON(dst []byte) []byte {
	dst = appendText(dst, `{"url":`, r.URL)
	dst = appendB64(dst, `,"url_b64":`, r.URLB64)
	return append(appendList(dst, `,"cells":`, r.Cells, func(dst []byte, c *Cell) []byte { return c.appendJSON(dst) }), '}')
}

func (c *Cell) appendJSON(dst []byte) []byte {
	dst = c.Decision.append(append(dst, '{'))
	dst = AppendNonempty(dst, `,"error":`, c.Error)
	return append(AppendNonempty(dst, `,"usage":`, c.Usage), '}')
}

func appendList[T any](dst []byte, key string, list []T, appendOne func([]byte, *T) []byte) []byte {
	dst = append(append(dst, key...), '[')
	for i := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendOne(dst, &list[i])
	}
	return append(dst, ']')
}
