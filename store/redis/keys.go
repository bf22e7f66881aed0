package redis

import (
	"strings"

	"github.com/heed-robots/heed/origin"
)

// Each key contains its origin in braces, because a cluster keeps such keys on one node.

func (s *Store) recordKey(o origin.Origin) string   { return s.options.Prefix + "{" + o.String() + "}" }
func (s *Store) versionsKey(o origin.Origin) string { return s.recordKey(o) + ":versions" }
func (s *Store) leaseKey(o origin.Origin) string    { return s.recordKey(o) + ":lease" }
func (s *Store) turnsKey(o origin.Origin) string    { return s.recordKey(o) + ":turns" }
func (s *Store) noteKey(o origin.Origin, name string) string {
	return s.recordKey(o) + noteWord + name
}
func (s *Store) keys(o origin.Origin) []string { return []string{s.recordKey(o), s.versionsKey(o)} }
func (s *Store) checkKeys(o origin.Origin) []string {
	return []string{s.recordKey(o) + ":check", s.recordKey(o) + ":check:versions"}
}
func (s *Store) channel() string { return s.options.Prefix + "changed" }

const noteWord = ":note:"

func (s *Store) originIn(key, suffix string) (string, bool) {
	name, ours := strings.CutPrefix(key, s.options.Prefix+"{")
	name, whole := strings.CutSuffix(name, "}"+suffix)
	return name, ours && whole
}

func (s *Store) recordOrigin(key string) (origin.Origin, bool) {
	name, ours := s.originIn(key, "")
	o, err := origin.Parse(name)
	return o, ours && err == nil && o.String() == name
}

// The pattern for SCAN may also match other keys.
func (s *Store) pattern(suffix string) string {
	return globs.Replace(s.options.Prefix) + "{*}" + suffix
}

var globs = strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`, "]", `\]`)
