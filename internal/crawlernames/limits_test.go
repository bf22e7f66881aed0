package crawlernames

import (
	"slices"
	"strings"
	"testing"
)

// What is within a limit is no error; one more is.
func TestLimits(t *testing.T) {
	long := strings.Repeat("a", MaxToken)
	if err := Check(slices.Repeat([]string{long}, MaxTokens)); err != nil {
		t.Error(err)
	}
	if err := Check(slices.Repeat([]string{"a"}, MaxTokens+1)); err == nil || !strings.Contains(err.Error(), "17 product tokens; expected at most 16") {
		t.Error(err)
	}
	if err := Check([]string{"a", long + "a"}); err == nil || !strings.Contains(err.Error(), "513 bytes; expected at most 512") {
		t.Error(err)
	}
	header := "Foo/" + strings.Repeat("1", MaxHeader-4)
	if err := Check([]string{header}); err != nil {
		t.Error(err)
	}
	if err := Check([]string{header + "1"}); err == nil || !strings.Contains(err.Error(), "8193 bytes; expected at most 8192") {
		t.Error(err)
	}
}
