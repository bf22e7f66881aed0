package robotstxt

import (
	"strings"

	"github.com/heed-robots/heed/internal/ascii"
)

// keySpellings has the right spelling of each key first, then the misspellings that Google's parser accepts (R-17, K-6).
var keySpellings = [...]struct {
	kind      Kind
	spellings []string
}{
	{KindUserAgent, []string{"user-agent", "useragent", "user agent"}},
	{KindAllow, []string{"allow"}},
	{KindDisallow, []string{"disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw"}},
	{KindSitemap, []string{"sitemap", "site-map"}},
}

const shortestKey = 5

func (d *Dialect) kindOf(key string) (kind Kind, notes Notes) {
	if len(key) < shortestKey {
		return KindOther, 0
	}
	switch key { // a quick way for the usual spellings
	case "Disallow", "disallow":
		return KindDisallow, 0
	case "User-agent", "User-Agent", "user-agent":
		return KindUserAgent, 0
	case "Sitemap", "sitemap":
		return KindSitemap, 0
	}
	first := ascii.Lower(key[0])
	for _, k := range &keySpellings {
		if k.spellings[0][0] != first { // in all misspellings the first letter is right
			continue
		}
		if k.kind == KindAllow && !d.allow {
			continue // in the standard of 1994, Allow is not a rule (S94-3)
		}
		for i, s := range k.spellings {
			if i > 0 && d.keys == exactKeys {
				break
			}
			switch {
			case len(key) > len(s) && d.keys != prefixKeys || !ascii.HasPrefixFold(key, s):
			case len(key) > len(s):
				return k.kind, NoteKeyPrefix
			case i > 0:
				return k.kind, NoteTypo
			default:
				return k.kind, 0
			}
		}
	}
	return KindOther, 0
}

type content struct {
	kind                 Kind
	notes                Notes
	keyStart, keyEnd     int
	valueStart, valueEnd int
}

// read sets only the notes that change how the line is read. The method annotate adds the others.
func (d *Dialect) read(body string, start, end int, c *content) {
	*c = content{}
	if start == end {
		return
	}
	if d.lineLimit > 0 && end-start > d.lineLimit {
		end = start + d.lineLimit
		c.notes = NoteCut
	}
	stop := d.findKeyEnd(body, start, end)
	if stop < end && body[stop] == ':' {
		d.keyValue(body, start, stop, stop+1, end, c)
		return
	}
	if stop < end && body[stop] == '#' {
		c.kind = KindComment
	}
	if start, end = d.trim(body, start, stop); start < end {
		d.twoWords(body, start, end, c)
	}
}

func (d *Dialect) findKeyEnd(body string, start, end int) int {
	for start < end && body[start] != ':' && body[start] != '#' && (body[start] != 0 || !d.nulEndsLine) {
		start++ // fast enough, because keys are short
	}
	return start
}

func (d *Dialect) keyValue(body string, start, keyEnd, value, end int, c *content) {
	if start, keyEnd = d.trim(body, start, keyEnd); start == keyEnd {
		c.kind = KindInvalid
		return
	}
	if i := strings.IndexByte(body[value:end], '#'); i >= 0 {
		end = value + i
	}
	if d.nulEndsLine {
		if i := strings.IndexByte(body[value:end], 0); i >= 0 {
			end = value + i
		}
	}
	c.keyStart, c.keyEnd = start, keyEnd
	c.valueStart, c.valueEnd = d.trim(body, value, end)
	kind, notes := d.kindOf(body[start:keyEnd])
	c.kind = kind
	c.notes |= notes
}

// In some dialects, exactly two words are a key and a value, even without a colon (R-17, K-4).
func (d *Dialect) twoWords(body string, start, end int, c *content) {
	c.kind = KindInvalid
	if !d.missingColon {
		return
	}
	keyEnd := findBlank(body, start, end)
	value := keyEnd
	for value < end && isBlank(body[value]) {
		value++
	}
	if value == end || findBlank(body, value, end) < end {
		return
	}
	c.notes |= NoteMissingColon
	d.keyValue(body, start, keyEnd, value, end, c)
}

func findBlank(body string, start, end int) int {
	for start < end && !isBlank(body[start]) {
		start++
	}
	return start
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// White space is that of C's isspace (K-2) and, in some dialects, also all control bytes.
func (d *Dialect) trim(body string, start, end int) (int, int) {
	for start < end && d.space[body[start]] != 0 {
		start++
	}
	for start < end && d.space[body[end-1]] != 0 {
		end--
	}
	return start, end
}

// bomLength also counts an incomplete byte-order mark (L-4).
func bomLength(body string) int {
	const bom = "\xef\xbb\xbf"
	n := 0
	for n < len(bom) && n < len(body) && body[n] == bom[n] {
		n++
	}
	return n
}
