package redis

import (
	"strings"

	"github.com/heed-robots/heed/origin"
)

// The keys of an origin contain it in braces: a cluster keeps keys with the same text in
// braces on one node. No origin contains a brace.

func (s *Store) recordKey(o origin.Origin) string   { return s.options.Prefix + "{" + o.String() + "}" }
func (s *Store) versionsKey(o origin.Origin) string { return s.recordKey(o) + ":versions" }
func (s *Store) leaseKey(o origin.Origin) string    { return s.recordKey(o) + ":lease" }
func (s *Store) turnsKey(o origin.Origin) string    { return s.recordKey(o) + ":turns" }
func (s *Store) keys(o origin.Origin) []string      { return []string{s.recordKey(o), s.versionsKey(o)} }
func (s *Store) checkKeys(o origin.Origin) []string {
	return []string{s.recordKey(o) + ":check", s.recordKey(o) + ":check:versions"}
}
func (s *Store) channel() string { return s.options.Prefix + "changed" }

// recordOrigin returns the origin whose record has a key; false: the key is not that of a
// record.
func (s *Store) recordOrigin(key string) (origin.Origin, bool) {
	name, ours := strings.CutPrefix(key, s.options.Prefix+"{")
	name, whole := strings.CutSuffix(name, "}")
	o, err := origin.Parse(name)
	return o, ours && whole && err == nil && o.String() == name
}

// recordPattern returns a pattern of SCAN that matches the keys of records, and some others.
func (s *Store) recordPattern() string {
	return globs.Replace(s.options.Prefix) + "{*}"
}

var globs = strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`, "]", `\]`)
