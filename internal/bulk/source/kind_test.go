package source

import "testing"

// The scheme of a URL of a store may be in capital letters, as for --store.
func TestKindOfStore(t *testing.T) {
	for _, name := range []string{"redis://127.0.0.1:1", "REDIS://127.0.0.1:1", "Unix:///run/redis.sock"} {
		if kind, err := KindOf(name); kind != Store || err != nil {
			t.Errorf("%s: %v, %v", name, kind, err)
		}
	}
}
