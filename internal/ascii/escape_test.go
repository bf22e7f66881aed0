package ascii

import (
	"fmt"
	"testing"
)

// Every byte is read from its escape, in both letter cases; what is no escape is not.
func TestUnescape(t *testing.T) {
	for c := range 256 {
		for _, form := range []string{"%%%02X", "%%%02x", "%%%02xtail"} {
			if v, ok := Unescape(fmt.Sprintf(form, c)); !ok || int(v) != c {
				t.Errorf("%s: %#x, %v", fmt.Sprintf(form, c), v, ok)
			}
		}
	}
	for _, text := range []string{"", "%", "%2", "a2F", "%2G", "%G2", "%+2", "% 2", "%\xff0"} {
		if v, ok := Unescape(text); ok {
			t.Errorf("%q is read as the escape of %#x", text, v)
		}
	}
}
