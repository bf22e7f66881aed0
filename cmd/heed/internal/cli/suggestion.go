package cli

import (
	"fmt"
	"strings"

	"github.com/heed-robots/heed/internal/spelling"
)

// suggestion returns the end of an error about a word that is not one of the choices: the
// choice that is most likely meant, or all choices.
func suggestion(word string, choices []string) string {
	if meant := spelling.Closest(word, choices); meant != "" {
		return fmt.Sprintf("did you mean %s?", meant)
	}
	if len(choices) == 1 {
		return "expected " + choices[0]
	}
	return "expected one of " + strings.Join(choices, ", ")
}
