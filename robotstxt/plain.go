package robotstxt

// Nearly all lines are plain: empty, a comment, or a usual key, a colon, at most one space, and a value. Parse reads them
// in few steps:
//
//	Disallow: /images/thumbs/\nAllow: /images/large.png…
//
// Here Parse compares the eight bytes "Disallow" as one number. Then it searches the first byte that is less than '$',
// such as a line end, a space or a "#". The function Dialect.read reads all other lines; it is slower.

// plainLength is the length of "User-agent: x". If the body has at least so many more bytes, no check for its end is
// needed.
const plainLength = 13

// If the line is not plain (see above), plainLine returns KindInvalid.
func (d *Dialect) plainLine(body string, pos int) (kind Kind, value, end int) {
	if pos+plainLength > len(body) {
		return KindInvalid, 0, 0
	}
	if isLineEnd(body[pos]) {
		return KindBlank, pos, pos
	}
	if body[pos] == '#' {
		if end = findLineEnd(body, pos); end == len(body) {
			return KindInvalid, 0, 0
		}
		return KindComment, end, end
	}
	kind, colon := d.plainKey(body, pos)
	if kind == KindInvalid || body[colon] != ':' {
		return KindInvalid, 0, 0
	}
	value = colon + 1
	if body[value] == ' ' {
		value++
	}
	// Below "$" are control bytes, white space, "#", and the bytes "!" and '"', which are rare.
	end = findBelow(body, value, '$')
	if end == len(body) || !isLineEnd(body[end]) {
		return KindInvalid, 0, 0
	}
	if end > value && d.space[body[value]]|d.space[body[end-1]] != 0 { // true only for DEL, which is white space in some dialects
		return KindInvalid, 0, 0
	}
	return kind, value, end
}

// plainKey does not check that there is a colon at the position that it returns.
func (d *Dialect) plainKey(body string, pos int) (kind Kind, colon int) {
	switch word := eightAt(body, pos) | lowerCase; {
	case word == disallow:
		return KindDisallow, pos + 8
	case word == userAge && body[pos+4] == '-' && body[pos+8]|0x20 == 'n' && body[pos+9]|0x20 == 't':
		return KindUserAgent, pos + 10
	case word&(1<<40-1) == allow && d.allow:
		return KindAllow, pos + 5
	case word&(1<<56-1) == sitemap:
		return KindSitemap, pos + 7
	}
	return KindInvalid, pos
}

// The usual keys in lower case, as eightAt returns them. userAge is the start of "user-agent".
const (
	// lowerCase turns "A" into "a" in each byte, but also CR into "-". So plainKey compares the "-" again.
	lowerCase = 0x2020202020202020
	disallow  = 'd' | 'i'<<8 | 's'<<16 | 'a'<<24 | 'l'<<32 | 'l'<<40 | 'o'<<48 | 'w'<<56
	userAge   = 'u' | 's'<<8 | 'e'<<16 | 'r'<<24 | '-'<<32 | 'a'<<40 | 'g'<<48 | 'e'<<56
	allow     = 'a' | 'l'<<8 | 'l'<<16 | 'o'<<24 | 'w'<<32
	sitemap   = 's' | 'i'<<8 | 't'<<16 | 'e'<<24 | 'm'<<32 | 'a'<<40 | 'p'<<48
)
