package crawlers

import "testing"

func TestLookupTakesAnyLetterCaseAndNoMemory(t *testing.T) {
	for _, token := range []string{"Googlebot-Image", "googlebot-image", "GOOGLEBOT-IMAGE"} {
		if c, ok := Known().Lookup(token); !ok || c.Token != "Googlebot-Image" {
			t.Errorf("Lookup(%q) = %q, %v", token, c.Token, ok)
		}
	}
	for _, token := range []string{"", "Google", "Googlebot-Imag", string(make([]byte, maxToken+1))} {
		if c, ok := Known().Lookup(token); ok {
			t.Errorf("Lookup(%q) = %q", token, c.Token)
		}
	}
	if n := testing.AllocsPerRun(100, func() { Known().Lookup("googlebot-IMAGE") }); n != 0 {
		t.Errorf("Lookup allocates %v times", n)
	}
}
