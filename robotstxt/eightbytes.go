package robotstxt

import "math/bits"

// The functions of this file search eight bytes at a time, as one number.

func eightAt(body string, pos int) uint64 {
	s := body[pos : pos+8]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

const (
	lowBits  = 0x0101010101010101
	highBits = 0x8080808080808080
)

// markBelow sets the high bit of each byte that is less than c. Only the first mark is certain. A borrow may set wrong
// marks after it. c must be at most 0x80.
func markBelow(bytes uint64, c byte) uint64 {
	return (bytes - lowBits*uint64(c)) &^ bytes & highBits
}

func firstMark(marks uint64) int { return bits.TrailingZeros64(marks) / 8 }

// gather moves the high bits of the eight bytes into the lowest eight bits.
func gather(marks uint64) uint64 { return marks >> 7 * 0x0102040810204080 >> 56 }

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

// A set of bytes is a uint64: byteBits[c] is the number of the bit for the byte c. Rare bytes share bits.
var byteBits = newByteBits()

const (
	classBits = 60
	classes   = uint64(1)<<classBits - 1 // all bits that byteBits uses
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

// firstBytes returns the first eight bytes of a text as a number. Numbers sort like the texts.
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
