package main

import "runtime"

// agent is the crawler in every row.
const agent = "ExampleBot"

// A row is an operation that is measured for each library.
type row struct {
	name  string
	bytes int                    // read by one operation; 0: the row has no throughput
	start func(l library) func() // prepares the operation and returns it
}

func rows() []row {
	return []row{
		parseRow(typical), parseRow(large), parseRow(largest),
		checkRow("hit", typical, typical.hit), checkRow("miss", typical, typical.miss), checkRow("encoded miss", typical, typical.encoded),
		checkRow("hit", large, large.hit), checkRow("miss", large, large.miss), checkRow("encoded miss", large, large.encoded),
		onceRow(typical), onceRow(large),
	}
}

func parseRow(in input) row {
	return row{"parse, " + in.name, len(in.body), func(l library) func() {
		return func() { runtime.KeepAlive(l.parse(in.body)) }
	}}
}

func checkRow(kind string, in input, target string) row {
	return row{"decide, " + in.name + ", " + kind, 0, func(l library) func() {
		policy := l.compile(l.parse(in.body), agent)
		return func() { runtime.KeepAlive(l.check(policy, target)) }
	}}
}

// onceRow parses, compiles and decides in one operation.
func onceRow(in input) row {
	return row{"all in one go, " + in.name, len(in.body), func(l library) func() {
		return func() { runtime.KeepAlive(l.check(l.compile(l.parse(in.body), agent), in.miss)) }
	}}
}
