package main

import "testing"

// BenchmarkRows measures every row for every library, for use with "go test -bench" and
// benchstat.
func BenchmarkRows(b *testing.B) {
	for _, r := range rows() {
		for _, l := range append([]library{heed}, rivals...) {
			b.Run(r.name+"/"+l.name, func(b *testing.B) {
				run := r.start(l)
				b.SetBytes(int64(r.bytes))
				b.ReportAllocs()
				for b.Loop() {
					run()
				}
			})
		}
	}
}

// The made-up files have the sizes that the tables name, and every library parses the first two.
func TestInputsHaveTheirSizes(t *testing.T) {
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

// Made-up files have as many questions as the table needs, and each question its agent.
func TestMadeUpFilesHaveQuestions(t *testing.T) {
	in := shapedInputs()
	for _, s := range append([]site{in.large, in.huge}, in.sites...) {
		if len(s.questions) != 12 || len(s.agentOf) != 12 || len(s.body) > fetched {
			t.Fatalf("%s: %d bytes, %d questions", s.name, len(s.body), len(s.questions))
		}
		for i, at := range s.agentOf {
			if s.agents[at] != s.questions[i].agent {
				t.Fatalf("%s: the agent of question %d is %s", s.name, i, s.agents[at])
			}
		}
		if rivals[0].parse(s.body) == nil {
			t.Fatalf("%s refuses %s", rivals[0].name, s.name)
		}
	}
}

func TestDurationsAreShort(t *testing.T) {
	for ns, want := range map[float64]string{0.4: "0 ns", 12: "12 ns", 999: "999 ns", 1234: "1.23 µs", 45_600: "45.6 µs", 789_000: "789 µs", 1.5e6: "1.50 ms", 2e9: "2.00 s"} {
		if got := duration(ns); got != want {
			t.Errorf("%g ns: %q, want %q", ns, got, want)
		}
	}
}
