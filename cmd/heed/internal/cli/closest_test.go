package cli

import (
	"strings"
	"testing"
)

// closest finds the choice that a misspelt word means, and no choice for other words.
func TestClosestFindsMisspeltWord(t *testing.T) {
	choices := []string{"rfc9309", "google", "draft1996", "draft2019", "Googlebot", "check", "cache", "color"}
	for word, want := range map[string]string{
		"gogle":                     "google",
		"googel":                    "google",
		"GOOGLE":                    "google",
		"rfc":                       "rfc9309",
		"rfc9308":                   "rfc9309",
		"draft2018":                 "draft2019",
		"googlebt":                  "Googlebot",
		"chek":                      "check",
		"colour":                    "color",
		"":                          "",
		"xml":                       "",
		"r":                         "",
		"https://shop.example/":     "",
		strings.Repeat("check", 50): "",
	} {
		if got := closest(word, choices); got != want {
			t.Errorf("closest(%q) = %q, want %q", word, got, want)
		}
	}
}
