// Package defaults has the rule for settings that are not set.
package defaults

import "cmp"

// Positive returns a setting, or its default if the setting is not above the zero value.
func Positive[T cmp.Ordered](value, byDefault T) T {
	var zero T
	if value <= zero {
		return byDefault
	}
	return value
}
