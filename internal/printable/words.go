package printable

import "strconv"

// Counted returns a number with its noun, such as "1 rule" or "2 rules".
func Counted(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return strconv.Itoa(n) + " " + what
}

// Name returns the name of a value of an enumeration, and another text for a value without one.
func Name[T ~uint8](names []string, value T, otherwise string) string {
	if int(value) < len(names) {
		return names[value]
	}
	return otherwise
}
