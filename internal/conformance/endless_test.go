package conformance_test

import (
	"strings"
	"testing"

	"github.com/heed-robots/heed/internal/conformance"
	"github.com/heed-robots/heed/internal/testing/portion"
)

// endless is an input that never ends, such as /dev/zero.
type endless struct{}

func (endless) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

func TestEndlessInput(t *testing.T) {
	portion.Skip(t, 4)
	err := conformance.RunReader(endless{}, "zero", conformance.Options{}, func(conformance.Result) {})
	if err == nil || !strings.Contains(err.Error(), "zero: expected a file of cases of at most 64 MiB, found a larger file") {
		t.Errorf("the error is %v", err)
	}
}
