package printable

import (
	"fmt"
	"strconv"
	"strings"
)

// Counted returns a number with a noun, such as "1 rule" or "2 rules".
func Counted(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return strconv.Itoa(n) + " " + what
}

// Some returns the names, with the separator between them. If there are more than six names, it returns five, and how many
// are left.
func Some(names []string, separator string) string {
	const shown = 5
	if len(names) > shown+1 {
		return fmt.Sprintf("%s and %d others", strings.Join(names[:shown], ", "), len(names)-shown)
	}
	return strings.Join(names, separator)
}

// Lines returns for example "line 3", "lines 3 and 5", or, of more than six lines, "lines 1, 2, 3, 4, 5 and 2 others".
func Lines(numbers []int) string {
	var all []string
	for _, n := range numbers {
		all = append(all, strconv.Itoa(n))
	}
	switch last := len(all) - 1; {
	case last == 0:
		return "line " + all[0]
	case last < 6:
		return "lines " + strings.Join(all[:last], ", ") + " and " + all[last]
	}
	return "lines " + Some(all, ", ")
}

func Name[T ~uint8](names []string, value T, fallback string) string {
	if int(value) < len(names) {
		return names[value]
	}
	return fallback
}

func Words[T ~string](values []T) (words []string) {
	for _, v := range values {
		words = append(words, string(v))
	}
	return words
}
