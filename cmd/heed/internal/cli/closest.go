package cli

import (
	"fmt"
	"strings"
)

// closest returns the choice that a misspelt word most likely means: the one with the fewest
// typos, without regard to letter case. It returns "" if no choice is similar: a choice may
// have one typo, and one more for every four letters, or begin with the word.
func closest(word string, choices []string) string {
	best, fewest := "", 0
	for _, choice := range choices {
		n := typos(strings.ToLower(word), strings.ToLower(choice))
		if near := 1 + min(len(word), len(choice))/4; n > near && !isBeginning(word, choice) {
			continue
		}
		if best == "" || n < fewest {
			best, fewest = choice, n
		}
	}
	return best
}

// isBeginning reports whether a choice begins with a word of at least three letters.
func isBeginning(word, choice string) bool {
	return len(word) >= 3 && len(word) < len(choice) && strings.EqualFold(word, choice[:len(word)])
}

// longWord limits the words that typos compares, because its time grows with the square of
// their length.
const longWord = 64

// typos returns the edit distance of a and b: how many letters must be replaced, inserted,
// deleted or swapped with the next letter (Damerau-Levenshtein, optimal string alignment).
// rows[i][j] is the distance of a[:i] and b[:j].
func typos(a, b string) int {
	if len(a) > longWord || len(b) > longWord {
		return longWord
	}
	var rows [longWord + 1][longWord + 1]int
	for i := range len(a) + 1 {
		for j := range len(b) + 1 {
			switch {
			case i == 0 || j == 0:
				rows[i][j] = i + j
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
	return rows[len(a)][len(b)]
}

// suggestion returns the end of an error about a word that is not one of the choices: the
// choice that is most likely meant, or all choices.
func suggestion(word string, choices []string) string {
	if meant := closest(word, choices); meant != "" {
		return fmt.Sprintf("did you mean %s?", meant)
	}
	if len(choices) == 1 {
		return "expected " + choices[0]
	}
	return "expected one of " + strings.Join(choices, ", ")
}
