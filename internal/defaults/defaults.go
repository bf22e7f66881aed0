// Package defaults returns default values of settings.
package defaults

import "cmp"

// Positive returns value if it is greater than zero. If not, it returns byDefault.
func Positive[T cmp.Ordered](value, byDefault T) T {
	var zero T
	if value <= zero {
		return byDefault
	}
	return value
}
