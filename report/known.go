package report

import "github.com/heed-robots/heed/crawlers"

// KnownOf returns the crawlers of a table, with their chains and purposes.
func KnownOf(table *crawlers.Table) (known []Known) {
	for c := range table.All() {
		k := Known{Name: c.Token, Tokens: c.Agents(), OnlyOwn: c.ObeysWildcard == crawlers.No}
		for _, p := range c.Purposes {
			k.Purposes = append(k.Purposes, string(p))
		}
		known = append(known, k)
	}
	return known
}

// PurposeNames returns the names of all purposes of crawlers, in their usual order.
func PurposeNames() (names []string) {
	for _, p := range crawlers.Purposes() {
		names = append(names, string(p))
	}
	return names
}
