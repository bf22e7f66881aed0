package robotstxt

import "math/bits"

// The functions of this file search eight bytes at a time, as one number.

// eightAt returns the eight bytes from pos on, the first one in the lowest bits.
func eightAt(body string, pos int) uint64 {
	s := body[pos : pos+8]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

const (
	lowBits  = 0x0101010101010101 // the lowest bit of each of the eight bytes
	highBits = 0x8080808080808080
)

// markBelow sets the high bit of each byte that is less than c (at most 0x80). Only the first byte that is marked is
// certain: later marks may be wrong.
func markBelow(bytes uint64, c byte) uint64 {
	return (bytes - lowBits*uint64(c)) &^ bytes & highBits
}

// firstMark returns the index (0 to 7) of the first byte in marks that is not 0.
func firstMark(marks uint64) int { return bits.TrailingZeros64(marks) / 8 }

// gather moves the marks of eight bytes (their high bits) into the eight lowest bits.
func gather(marks uint64) uint64 { return marks >> 7 * 0x0102040810204080 >> 56 }

// findBelow returns the position of the first byte that is at or after pos and less than c. If there is none, it returns
// len(body).
func findBelow(body string, pos int, c byte) int {
	for ; pos+32 <= len(body); pos += 32 {
		found := gather(markBelow(eightAt(body, pos), c)) | gather(markBelow(eightAt(body, pos+8), c))<<8 |
			gather(markBelow(eightAt(body, pos+16), c))<<16 | gather(markBelow(eightAt(body, pos+24), c))<<24
		if found != 0 {
			return pos + bits.TrailingZeros64(found)
		}
	}
	for pos < len(body) && body[pos] >= c {
		pos++
	}
	return pos
}

// byteBits[c] is the number of the bit that means the byte c in a set of bytes. Rare bytes share bits.
var byteBits = newByteBits()

const (
	classBits = 60
	classes   = uint64(1)<<classBits - 1 // the classBits lowest bits, which are all bits that byteBits uses
)

func newByteBits() (bits [256]uint8) {
	const own = "abcdefghijklmnopqrstuvwxyz0123456789/.-_?=&%+~:"
	for i := range bits {
		bits[i] = uint8(len(own) + i%(classBits-len(own)))
	}
	for i := range len(own) {
		bits[own[i]] = uint8(i)
	}
	return bits
}

// firstBytes returns the first eight bytes of a text as a number that sorts like the text. If the text is shorter, zeros
// are added.
func firstBytes(text string) uint64 {
	if len(text) >= 8 {
		return bits.ReverseBytes64(eightAt(text, 0))
	}
	first := uint64(0)
	for i := range len(text) {
		first |= uint64(text[i]) << (56 - 8*i)
	}
	return first
}
