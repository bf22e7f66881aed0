package bulk

import "testing"

// A cache keeps what is used, and never more than its limit and one value.
func TestGenerations(t *testing.T) {
	forgot := 0
	g := generations[int, int]{limit: 100, forgot: func() { forgot++ }}
	for i := range 1000 {
		g.put(i, i, 10)
		if got, ok := g.get(0); !ok || got != 0 { // used again and again
			t.Fatalf("after %d: %d, %t", i, got, ok)
		}
		if n := len(g.young) + len(g.old); n > 12 {
			t.Fatalf("after %d: %d values of 10 bytes, limit 100", i, n)
		}
	}
	if _, ok := g.get(500); ok {
		t.Error("a value that was not used for long is still there")
	}
	if g.put(7, 7, 1000); len(g.young)+len(g.old) > 12 {
		t.Error("a large value forgets nothing")
	}
	if forgot < 100 {
		t.Errorf("forgot was called %d times", forgot)
	}
}
