package robotstxt

import (
	"strings"
	"unicode/utf8"

	"github.com/heed-robots/heed/internal/ascii"
	"github.com/heed-robots/heed/robotstxt/record"
)

// Notes is a set of facts about a line; not all of them are mistakes. The zero Notes is empty.
type Notes uint16

// The notes about a line.
const (
	NoteBOM            Notes = 1 << iota // the line begins with a byte-order mark, which is skipped
	NoteTypo                             // the key is a misspelling that is read as the right key
	NoteKeyPrefix                        // the key is longer than a known key, but is read as this key (K-6)
	NoteMissingColon                     // two words without a colon, read as key and value
	NoteOutsideGroup                     // a rule, or a record that belongs to a group, but no group is open
	NoteEmptyValue                       // a User-agent line, rule or Sitemap line without a value
	NoteNoSlash                          // the pattern begins with neither "/" nor "*": it matches nothing
	NoteNamesNoCrawler                   // the value of the User-agent line contains no product token
	NoteNameCut                          // only the beginning of the value of the User-agent line is read as a name
	NoteCut                              // the line is too long: only its beginning is used (L-3)
	NotePastLimit                        // the line ends after the last byte that is parsed, so it is ignored
	NoteControl                          // the line contains control bytes
	NoteNotUTF8                          // the line is not valid UTF-8
)

var noteTexts = [...]struct{ name, text string }{
	{"byte-order-mark", "byte-order mark"},
	{"misspelt-key", "misspelt key, read as meant"},
	{"key-prefix", "unknown key, read as the known key with which it begins"},
	{"missing-colon", "missing colon"},
	{"outside-group", "outside any group"},
	{"empty-value", "no value"},
	{"no-slash", `begins with neither "/" nor "*": matches nothing`},
	{"names-nobody", "names nobody"},
	{"name-cut", "only the beginning is read as a name"},
	{"cut", "the line is too long: only its beginning is used"},
	{"past-limit", "beyond the limit of what is read"},
	{"control-bytes", "control bytes"},
	{"not-utf8", "not UTF-8"},
}

// Has reports whether n contains all notes in other.
func (n Notes) Has(other Notes) bool { return n&other == other }

// Names returns the stable names of the notes, for programs.
func (n Notes) Names() []string {
	names := []string{}
	for i := range noteTexts {
		if n.Has(1 << i) {
			names = append(names, noteTexts[i].name)
		}
	}
	return names
}

// String returns the notes in words, on one line.
func (n Notes) String() string {
	var texts []string
	for i := range noteTexts {
		if n.Has(1 << i) {
			texts = append(texts, noteTexts[i].text)
		}
	}
	return strings.Join(texts, "; ")
}

// Ignores reports whether a line has no effect in the dialect, such as a rule outside of any group, or an unknown
// record. Ignores returns false for blank lines, comments and User-agent lines. A rule of a group may match nothing,
// such as an empty Disallow. For such a rule, Ignores returns false too, because a User-agent line after the rule
// starts a new group.
func (d *Dialect) Ignores(l Line) bool {
	d = d.orDefault()
	switch {
	case l.Kind == KindBlank || l.Kind == KindComment || l.Kind == KindUserAgent:
		return false
	case l.Kind == KindInvalid || l.Notes.Has(NoteOutsideGroup):
		return true
	case l.Kind.isRule():
		return false
	case l.Kind == KindSitemap:
		return l.Value == ""
	}
	_, known := record.Lookup(l.Key)
	return !known || !d.delays
}

// annotate adds notes about mistakes that do not change how the line is read.
func (d *Dialect) annotate(line Line, inGroup bool) Notes {
	n := line.Notes
	if !utf8.ValidString(line.Raw) {
		n |= NoteNotUTF8
	}
	if strings.ContainsFunc(strings.TrimRight(line.Raw, "\r\n"), func(r rune) bool { return r != '\t' && r < 0x80 && ascii.IsControl(byte(r)) }) {
		n |= NoteControl
	}
	bound := line.Kind.isRule()
	if line.Kind == KindOther {
		info, ok := record.Lookup(line.Key)
		bound = ok && !info.BindsFile
	}
	if bound && !inGroup {
		n |= NoteOutsideGroup
	}
	switch line.Kind {
	case KindUserAgent, KindAllow, KindDisallow, KindSitemap:
		if line.Value == "" {
			n |= NoteEmptyValue
		}
	}
	switch {
	case line.Value == "":
	case line.Kind == KindUserAgent:
		n |= d.annotateName(line.Value)
	case line.Kind.isRule() && line.Value[0] != '/' && !(d.wildcards && line.Value[0] == '*'):
		n |= NoteNoSlash
	}
	return n
}

func (d *Dialect) annotateName(value string) Notes {
	name, everyone := d.agentName(value)
	switch {
	case everyone:
		return 0
	case name == "":
		return NoteNamesNoCrawler
	case name != value:
		return NoteNameCut
	}
	return 0
}
