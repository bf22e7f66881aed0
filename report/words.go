package report

import "fmt"

// Verdict is the word for whether a URL is allowed.
func Verdict(allowed bool) string {
	if allowed {
		return "allowed"
	}
	return "disallowed"
}

// Counted returns "1 rule", "2 rules".
func Counted(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}
