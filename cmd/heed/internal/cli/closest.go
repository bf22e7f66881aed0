package cli

import (
	"fmt"
	"strings"
)

// closest returns the choice that was most likely meant by a word that is none of them:
// the one with the fewest wrong, missing, extra or swapped letters, whatever their case;
// "" where none is near.
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

// isBeginning reports whether a word of at least three letters begins a choice.
func isBeginning(word, choice string) bool {
	return len(word) >= 3 && len(word) < len(choice) && strings.EqualFold(word, choice[:len(word)])
}

// longWord bounds what is looked for typos, which takes time by the square.
const longWord = 64

// typos counts the letters that are to be changed, added, left out or swapped with their
// neighbour to make b of a.
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

// suggestion says what to give instead of a word that is none of the choices: the one that
// was most likely meant, or all of them.
func suggestion(word string, choices []string) string {
	if meant := closest(word, choices); meant != "" {
		return fmt.Sprintf("did you mean %s?", meant)
	}
	if len(choices) == 1 {
		return "expected " + choices[0]
	}
	return "expected one of " + strings.Join(choices, ", ")
}
