package audit

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/heed-robots/heed/crawlers"
	"github.com/heed-robots/heed/internal/ascii"
	"github.com/heed-robots/heed/internal/ranges"
	"github.com/heed-robots/heed/robotstxt"
)

type crawler struct {
	name          string
	operator      string   // if not known, the crawler's name
	knownOperator string   // may be ""
	hosts         []string // the domains of the operator's host names
	tokens        []string
	lists         ranges.Lists
	// True if the crawler is in the table or has a list of addresses. Other crawlers count only if a robots.txt names
	// them.
	isKnown  bool
	onlyOwn  bool // the crawler does not follow the groups for "*" (AU-6)
	notBound bool // the operator says that the crawler does not have to obey (AU-6)
	isFalse  bool // no crawler really sends this name (AU-7)
}

type crowd struct {
	table  *crawlers.Table
	ranges *ranges.Folder

	mu     sync.Mutex
	byName map[string]*crawler // the key is in lower case
	all    []*crawler
}

// A client can send any name, so the number of names in memory is limited.
const maxNames = 10_000

func (c *crowd) find(agent string) *crawler {
	name := robotstxt.ProductName(agent)
	if name == "" {
		return nil
	}
	row, isKnown := c.table.Named(name)
	token, ok := robotstxt.ProductToken(agent)
	if !isKnown && ok {
		row, isKnown = c.table.Lookup(token)
	}
	if !isKnown {
		if !ok {
			return nil
		}
		// Without Clone, the strings would keep the line of the log in memory.
		row = crawlers.Crawler{Token: strings.Clone(name), Chain: []string{strings.Clone(token)}}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	key := ascii.ToLower(row.Token)
	if w := c.byName[key]; w != nil {
		return w
	}
	if !isKnown && len(c.byName) >= maxNames {
		return nil
	}
	w := c.add(row)
	w.isKnown = isKnown || len(w.lists) > 0
	c.byName[key] = w
	return w
}

func (c *crowd) add(row crawlers.Crawler) *crawler {
	w := &crawler{name: row.Token, operator: cmp.Or(row.Operator, row.Token), knownOperator: row.Operator, hosts: row.Hosts, onlyOwn: row.ObeysWildcard == crawlers.No,
		tokens:   slices.DeleteFunc(row.Agents(), func(token string) bool { return token == robotstxt.NotEveryone }),
		notBound: row.Obeys == crawlers.No || row.Obeys != crawlers.Yes && slices.Contains(row.Purposes, crawlers.AIUser), isFalse: row.Crawls == crawlers.No}
	if c.ranges != nil {
		w.lists = c.ranges.ListsFor(row, c.table)
	}
	c.all = append(c.all, w)
	return w
}
