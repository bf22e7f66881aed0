// Package spelling finds the word that a misspelt word probably means.
package spelling

import (
	"strings"
	"unicode/utf8"
)

// MaxLength is the length in bytes of the longest word that Distance compares. The time grows with the square of the length.
const MaxLength = 64

// Distance returns how many single changes make two words equal (Damerau-Levenshtein, optimal string alignment). If a word
// is longer than MaxLength bytes, Distance returns MaxLength.
func Distance(word, other string) int {
	if len(word) > MaxLength || len(other) > MaxLength {
		return MaxLength
	}
	a, b := []rune(word), []rune(other)
	var rows [MaxLength + 1][MaxLength + 1]uint8 // rows[i][j] is the distance between a[:i] and b[:j]
	for i := range len(a) + 1 {
		for j := range len(b) + 1 {
			switch {
			case i == 0 || j == 0:
				rows[i][j] = uint8(i + j)
			case a[i-1] == b[j-1]:
				rows[i][j] = rows[i-1][j-1]
			default:
				rows[i][j] = 1 + min(rows[i-1][j-1], rows[i-1][j], rows[i][j-1])
			}
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], 1+rows[i-2][j-2])
			}
		}
	}
	return int(rows[len(a)][len(b)])
}

// AreOneApart reports whether a single change makes two words equal, in any letter case. One of the words must be ASCII. It is
// much faster than Distance.
func AreOneApart(a, b string) bool {
	for a != "" && b != "" && strings.EqualFold(a[:1], b[:1]) {
		a, b = a[1:], b[1:]
	}
	for a != "" && b != "" && strings.EqualFold(a[len(a)-1:], b[len(b)-1:]) {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	if len(a) == 2 && len(b) == 2 {
		return strings.EqualFold(a, b[1:]+b[:1])
	}
	return a+b != "" && utf8.RuneCountInString(a) <= 1 && utf8.RuneCountInString(b) <= 1
}

// Closest returns the most similar choice in any letter case, or "" if no choice is similar. Longer words may differ more.
func Closest(word string, choices []string) string {
	best, fewest := "", 0
	for _, choice := range choices {
		n := Distance(strings.ToLower(word), strings.ToLower(choice))
		if near := 1 + min(len(word), len(choice))/5; n > near && !isPart(word, choice) {
			continue
		}
		if best == "" || n < fewest {
			best, fewest = choice, n
		}
	}
	return best
}

// isPart reports whether choice begins with word, or has it between hyphens.
func isPart(word, choice string) bool {
	word, choice = strings.ToLower(word), strings.ToLower(choice)
	return len(word) >= 3 && len(word) < len(choice) &&
		(strings.HasPrefix(choice, word) || strings.Contains("-"+choice+"-", "-"+word+"-"))
}
