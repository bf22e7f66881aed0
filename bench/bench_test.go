package main

import "testing"

// BenchmarkRows measures every row for every library, for those who like
// "go test -bench" and benchstat better than the table.
func BenchmarkRows(b *testing.B) {
	for _, r := range rows() {
		for _, l := range append([]library{heed}, rivals...) {
			b.Run(r.name+"/"+l.name, func(b *testing.B) { r.bench(b, l) })
		}
	}
}

// The inputs are what the table says they are.
func TestInputs(t *testing.T) {
	for _, in := range []input{typical, large} {
		policy := heed.compile(heed.parse(in.body), agent)
		if heed.check(policy, in.hit) == heed.check(policy, in.miss) && in.hit == in.miss {
			t.Errorf("%s: hit and miss are the same", in.name)
		}
		for _, l := range rivals {
			if l.parse(in.body) == nil {
				t.Errorf("%s refuses %s", l.name, in.name)
			}
		}
	}
	if n := len(typical.body); n < 2500 || n > 3500 {
		t.Errorf("a typical file of %d bytes, want about 3,000", n)
	}
	for _, in := range hostileInputs {
		if n := len(in.body); n < 400<<10 || n > 510<<10 {
			t.Errorf("%s: %d bytes", in.name, n)
		}
	}
}
