package redis

import (
	"strings"

	"github.com/heed-robots/heed/origin"
)

// A key of an origin has it in braces, which no origin has: a cluster keeps keys
// in one slot that have the same in braces.

func (s *Store) recordKey(o origin.Origin) string   { return s.options.Prefix + "{" + o.String() + "}" }
func (s *Store) versionsKey(o origin.Origin) string { return s.recordKey(o) + ":versions" }
func (s *Store) leaseKey(o origin.Origin) string    { return s.recordKey(o) + ":lease" }
func (s *Store) keys(o origin.Origin) []string      { return []string{s.recordKey(o), s.versionsKey(o)} }
func (s *Store) checkKeys(o origin.Origin) []string {
	return []string{s.recordKey(o) + ":check", s.recordKey(o) + ":check:versions"}
}
func (s *Store) channel() string { return s.options.Prefix + "changed" }

// recordOrigin returns the origin that a key is the record of; false: it is
// another kind of key.
func (s *Store) recordOrigin(key string) (origin.Origin, bool) {
	name, ours := strings.CutPrefix(key, s.options.Prefix+"{")
	name, whole := strings.CutSuffix(name, "}")
	o, err := origin.Parse(name)
	return o, ours && whole && err == nil && o.String() == name
}

// recordPattern matches the keys of records.
func (s *Store) recordPattern() string {
	return globs.Replace(s.options.Prefix) + "{*}"
}

var globs = strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`, "]", `\]`)
