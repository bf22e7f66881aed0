package redis

import (
	"fmt"
	"strings"

	"github.com/heed-robots/heed/cache"
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

// The result ours is false for a key of another kind.
func (s *Store) originIn(key, suffix string) (o origin.Origin, ours bool, err error) {
	name, begins := strings.CutPrefix(key, s.options.Prefix+"{")
	name, ends := strings.CutSuffix(name, "}"+suffix)
	if !begins || !ends {
		return o, false, nil
	}
	if o, err = origin.Parse(name); err == nil && o.String() == name {
		return o, true, nil
	}
	isNote := suffix != "" // any other key may be of another program
	return origin.Origin{}, isNote, fmt.Errorf("the key %q in Redis names no origin: %w", key, cache.ErrWrongRecord)
}

// The pattern for SCAN may also match other keys.
func (s *Store) pattern(suffix string) string {
	return globs.Replace(s.options.Prefix) + "{*}" + suffix
}

var globs = strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`, "]", `\]`)
