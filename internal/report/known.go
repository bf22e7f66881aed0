package report

import "github.com/heed-robots/heed/crawlers"

// knownOf returns the crawlers of a table, with their chains and purposes.
func knownOf(table *crawlers.Table) (all []known) {
	for c := range table.All() {
		k := known{name: c.Token, tokens: c.Agents()}
		for _, p := range c.Purposes {
			k.purposes = append(k.purposes, string(p))
		}
		all = append(all, k)
	}
	return all
}

// PurposeNames returns the names of all purposes of crawlers, in their usual order.
func PurposeNames() (names []string) {
	for _, p := range crawlers.Purposes() {
		names = append(names, string(p))
	}
	return names
}

// Crawlers is the known crawlers, to choose from. "heed crawlers" has all that is known about them.
type Crawlers struct {
	Purposes []string  `json:"purposes"` // all purposes, in their usual order
	Crawlers []Crawler `json:"crawlers"` // in the order of the table
}

// A Crawler is a known crawler.
type Crawler struct {
	Token    string   `json:"token"`              // its product token, as its operator writes it
	Names    []string `json:"names,omitempty"`    // other names that it has in its requests
	Operator string   `json:"operator"`           // who runs it
	Purposes []string `json:"purposes"`           // at least one
	Agent    Agent    `json:"agent"`              // what to ask about: the tokens whose groups it follows, the most specific first; "*" if no group can name it
	OnlyOwn  bool     `json:"only_own,omitempty"` // it does not follow the groups for "*", according to a source; it is asked about with "!*" as its last token, so that it is allowed where no group names it
}

// CrawlersOf returns the crawlers of a table.
func CrawlersOf(table *crawlers.Table) Crawlers {
	all := Crawlers{Purposes: PurposeNames(), Crawlers: []Crawler{}}
	for c := range table.All() {
		one := Crawler{Token: c.Token, Names: c.Names, Operator: c.Operator, Agent: c.Agents(), OnlyOwn: c.ObeysWildcard == crawlers.No}
		if len(one.Agent) == 0 {
			one.Agent = Agent{"*"}
		}
		for _, p := range c.Purposes {
			one.Purposes = append(one.Purposes, string(p))
		}
		all.Crawlers = append(all.Crawlers, one)
	}
	return all
}
