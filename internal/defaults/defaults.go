// Package defaults returns default values of settings.
package defaults

import "cmp"

// Positive returns the parameter value, or the parameter byDefault if value is not greater than zero.
func Positive[T cmp.Ordered](value, byDefault T) T {
	var zero T
	if value <= zero {
		return byDefault
	}
	return value
}
