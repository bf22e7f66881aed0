package printable

import (
	"unicode"
	"unicode/utf8"

	"github.com/heed-robots/heed/internal/ascii"
)

// lookAlikes are blocks with letters like ASCII letters (confusables.txt of Unicode Technical Standard 39).
var lookAlikes = [][2]rune{
	{0x1c0, 0x1c3},     // Latin letters for click sounds, such as "ǀ"
	{0x250, 0x2af},     // letters of the phonetic alphabet, such as "ɑ" and "ɡ"
	{0x370, 0x3ff},     // Greek letters
	{0x400, 0x52f},     // Cyrillic letters
	{0x531, 0x587},     // Armenian letters
	{0x13a0, 0x13ff},   // Cherokee letters
	{0x1c80, 0x1c8f},   // Cyrillic letters
	{0x1d00, 0x1dbf},   // small capitals and other phonetic letters
	{0x1f00, 0x1fff},   // Greek letters
	{0x2100, 0x214f},   // symbols such as "ℓ" and "K"
	{0x2160, 0x2188},   // Roman numerals
	{0x2c80, 0x2cff},   // Coptic letters
	{0x2de0, 0x2dff},   // Cyrillic letters
	{0xa4d0, 0xa4ff},   // Lisu letters
	{0xa640, 0xa69f},   // Cyrillic letters
	{0xab70, 0xabbf},   // Cherokee letters
	{0xff21, 0xff5a},   // wide forms of ASCII letters
	{0x10280, 0x1031f}, // Lycian, Carian and Old Italic letters
	{0x10400, 0x104ff}, // Deseret, Osage and Elbasan letters
	{0x118a0, 0x118ff}, // Warang Citi letters
	{0x16f00, 0x16f9f}, // Miao letters
	{0x1d400, 0x1d7ff}, // ASCII and Greek letters in mathematical styles
}

// lookAlike reports whether a character's block has letters like ASCII letters. Text writes "GPTBоt" as "GPTB\u{43e}t".
func lookAlike(r rune) bool {
	for _, block := range lookAlikes {
		if r <= block[1] {
			return r >= block[0]
		}
	}
	return false
}

// words reads a text word by word. In a mixed word, some letters are ASCII, and others only look like ASCII.
type words struct {
	rest   int // the number of bytes after the last word
	isRead bool
	isMix  bool
}

// isInMixed must be called for every character, in order.
func (w *words) isInMixed(rest string) bool {
	if !w.isRead || len(rest) <= w.rest {
		length, mix := firstWord(rest)
		w.isRead, w.rest, w.isMix = true, len(rest)-length, mix
	}
	return w.isMix
}

func firstWord(s string) (length int, isMixed bool) {
	var plain, alike bool
	for length < len(s) {
		r, size := utf8.DecodeRuneInString(s[length:])
		switch {
		case r < utf8.RuneSelf && ascii.IsLetter(byte(r)):
			plain = true
		case lookAlike(r) && !unicode.IsPunct(r):
			alike = true
		case r < utf8.RuneSelf || !unicode.IsLetter(r) && !unicode.IsMark(r):
			return max(length, 1), plain && alike
		}
		length += size
	}
	return max(length, 1), plain && alike
}
