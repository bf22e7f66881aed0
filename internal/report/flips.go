package report

import (
	"io"
	"iter"

	"github.com/heed-robots/heed/compare"
	"github.com/heed-robots/heed/internal/flips"
)

// Flips says how a change of a robots.txt changes the verdicts about a list of URLs.
type Flips struct {
	URLs     int64 `json:"urls"`     // the number of URLs that were compared
	Flipped  int64 `json:"flipped"`  // the number of URLs whose verdict changes for at least one crawler
	Rejected int64 `json:"rejected"` // the number of lines that have no URL
	// The numbers of the first lines that have no URL. Absent if all lines have one, or if the list is not in the question.
	RejectedLines []int     `json:"rejected_lines,omitempty"`
	Others        int64     `json:"other_sites"`          // the number of URLs of other sites; these URLs were not compared
	Incomplete    bool      `json:"incomplete,omitempty"` // the files name so many crawlers that some were not compared
	Crawlers      []Flipped `json:"crawlers"`             // the crawlers for which the verdict of at least one URL changes
}

// Flipped counts the URLs whose verdict changes for some crawlers. All these crawlers have the same verdict about every
// URL.
type Flipped struct {
	Agents      []Agent     `json:"agents"`
	Blocked     int64       `json:"blocked"` // the number of URLs that were allowed and are now disallowed
	Opened      int64       `json:"opened"`  // the number of URLs that were disallowed and are now allowed
	Directories []Directory `json:"directories"`
	Examples    []Flip      `json:"examples"` // examples: first URLs that are now disallowed, then URLs that are now allowed
}

// Directory counts the flips of all URLs in one directory, such as "/shop/". The path "" stands for all other directories.
type Directory struct {
	Path    string `json:"path"`
	PathB64 []byte `json:"path_b64,omitempty"`
	Blocked int64  `json:"blocked"`
	Opened  int64  `json:"opened"`
}

// Flip is a URL whose verdict changes.
type Flip struct {
	URL    string   `json:"url"`
	URLB64 []byte   `json:"url_b64,omitempty"`
	Agents []Agent  `json:"agents,omitempty"` // only present if each flip is a line of JSON
	Old    Decision `json:"old"`
	New    Decision `json:"new"`
}

func (f *Flip) AppendJSON(dst []byte) []byte {
	var agents []byte
	if len(f.Agents) > 0 {
		agents = appendAgents(nil, f.Agents)
	}
	return f.append(dst, agents)
}

// The parameter agents is the JSON of f.Agents. Many flips have the same agents, so the caller makes this JSON only
// once.
func (f *Flip) append(dst, agents []byte) []byte {
	dst = appendText(append(dst, '{'), `"url":`, f.URL)
	dst = appendB64(dst, `,"url_b64":`, f.URLB64)
	if len(agents) > 0 {
		dst = append(append(dst, `,"agents":`...), agents...)
	}
	dst = append(f.Old.append(append(dst, `,"old":{`...)), '}')
	return append(f.New.append(append(dst, `,"new":{`...)), "}}"...)
}

func appendAgents(dst []byte, agents []Agent) []byte {
	return appendList(dst, "", agents, func(dst []byte, a *Agent) []byte { return a.appendJSON(dst) })
}

// The crawlers agents[i] have the policies pairs[i], because the same groups apply to all of them.
type flipPairs struct {
	pairs      []flips.Pair
	agents     [][]Agent
	incomplete bool
}

func flippedOf(all []compare.Crawler, incomplete bool) flipPairs {
	f := flipPairs{incomplete: incomplete}
	places := map[string]int{}
	for _, c := range all {
		if c.Result.Outcome == compare.Equal {
			continue
		}
		place, known := places[c.Groups]
		if !known {
			place, places[c.Groups] = len(f.pairs), len(f.pairs)
			f.pairs, f.agents = append(f.pairs, flips.Pair{Old: c.Old, New: c.New}), append(f.agents, nil)
		}
		f.agents[place] = append(f.agents[place], agentOf(c))
	}
	return f
}

// FlipsOf counts the URLs whose verdicts change, each once. It keeps at most maxExamples examples of URLs that are now disallowed, and
// at most maxExamples of URLs that are now allowed. If the parameter lines is not nil, FlipsOf writes all flips to it, each
// as a line of JSON.
func FlipsOf(c *Comparison, urls iter.Seq[string], maxExamples int, lines io.Writer) (Flips, error) {
	var asJSON [][]byte
	for _, each := range c.flipPairs.agents {
		asJSON = append(asJSON, appendAgents(nil, each))
	}
	search := flips.Search{Pairs: c.flipPairs.pairs, Examples: maxExamples}
	if lines != nil {
		search.To, search.Append = lines, func(dst []byte, f *flips.Flip) []byte {
			flip := flipOf(f)
			return append(flip.append(dst, asJSON[f.Pair]), '\n')
		}
	}
	r, err := search.Run(flips.Distinct(urls))
	all := Flips{URLs: r.URLs, Flipped: r.Flipped, Incomplete: c.flipPairs.incomplete, Crawlers: []Flipped{}}
	for i := range r.Counts {
		if n := &r.Counts[i]; n.Blocked+n.Opened > 0 {
			all.Crawlers = append(all.Crawlers, flippedBy(n, c.flipPairs.agents[i]))
		}
	}
	return all, err
}

func flipOf(f *flips.Flip) Flip {
	url := TextOf(f.URL)
	return Flip{URL: url.Text, URLB64: url.B64, Old: DecisionOf(f.Old), New: DecisionOf(f.New)}
}

func flippedBy(n *flips.Count, agents []Agent) Flipped {
	f := Flipped{Agents: agents, Blocked: n.Blocked, Opened: n.Opened}
	for _, d := range n.Directories {
		path := TextOf(d.Path)
		f.Directories = append(f.Directories, Directory{path.Text, path.B64, d.Blocked, d.Opened})
	}
	for _, e := range n.Examples {
		f.Examples = append(f.Examples, flipOf(&e))
	}
	return f
}
