package usage_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/heed-robots/heed/usage"
)

// AI-13: the cases of TDMRep.
func TestTDMRepCases(t *testing.T) {
	folder := os.Getenv("HEED_CONFORMANCE")
	if folder == "" {
		t.Skip("HEED_CONFORMANCE is not set: it names the folder that holds tdmrep.jsonl")
	}
	text, err := os.ReadFile(filepath.Join(folder, "tdmrep.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		var c struct {
			ID          string
			File        json.RawMessage
			Headers     map[string]string
			HTML, Path  string
			Reservation *int
			Policy      string
		}
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatal(err)
		}
		var file *usage.TDMFile
		if c.File != nil {
			if file, err = usage.ReadTDMRep(c.File); err != nil {
				t.Fatalf("%s: %v", c.ID, err)
			}
		}
		headers := map[string][]string{}
		for name, value := range c.Headers {
			headers[name] = []string{value}
		}
		want := usage.Unset
		if c.Reservation != nil {
			want = []usage.Reservation{usage.NotReserved, usage.Reserved}[*c.Reservation]
		}
		reserved, policy := usage.TDM(file, c.Path, usage.ReadResponse(headers, []byte(c.HTML)))
		if reserved != want || policy != c.Policy {
			t.Errorf("%s: %v, %q; want %v, %q", c.ID, reserved, policy, want, c.Policy)
		}
	}
}
