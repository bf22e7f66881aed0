package robotstxt

import "math/bits"

// Octets are looked for eight at a time: as one number, with the first octet in its
// lowest bits.

// eight returns the eight octets from pos on.
func eight(body string, pos int) uint64 {
	s := body[pos : pos+8]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

const (
	lowBits  = 0x0101010101010101 // of each octet
	highBits = 0x8080808080808080
)

// below sets the high bit of each octet that is less than c, which is at most 0x80.
// The first of these marks is right; behind it some may be wrong: below 0x0e, "\t" is
// marked, and as it borrows from the octet behind it, a 0x0e there is marked too.
func below(octets uint64, c byte) uint64 {
	return (octets - lowBits*uint64(c)) &^ octets & highBits
}

// firstMark returns which octet has the first mark.
func firstMark(marks uint64) int { return bits.TrailingZeros64(marks) / 8 }

// gather puts the marks of eight octets into the eight lowest bits.
func gather(marks uint64) uint64 { return marks >> 7 * 0x0102040810204080 >> 56 }

// findBelow returns where the first octet that is less than c stands, at or behind
// pos, or the body ends. It looks at 32 octets at once, as most values are shorter:
// a loop whose length cannot be foretold costs more.
func findBelow(body string, pos int, c byte) int {
	for ; pos+32 <= len(body); pos += 32 {
		found := gather(below(eight(body, pos), c)) | gather(below(eight(body, pos+8), c))<<8 |
			gather(below(eight(body, pos+16), c))<<16 | gather(below(eight(body, pos+24), c))<<24
		if found != 0 {
			return pos + bits.TrailingZeros64(found)
		}
	}
	for pos < len(body) && body[pos] >= c {
		pos++
	}
	return pos
}
