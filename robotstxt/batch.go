package robotstxt

import "unsafe"

// CheckAll calls Check of each policy with the target at the same index, and sets the decision there.
// None of the policies may be nil, and the slices must have the same length. For many policies, such
// as those of a list of URLs of many sites, this is faster than single calls: most of their time is
// waiting for memory, and CheckAll asks for that of several policies at once. It does not allocate.
func CheckAll(policies []*Policy, targets []string, decisions []Decision) {
	var loaded uint64
	for from := 0; from < len(policies); from += batch {
		to := min(from+batch, len(policies))
		loaded += load(policies[from:to])
		for i := from; i < to; i++ {
			decisions[i] = policies[i].Check(targets[i])
		}
	}
	sink(loaded)
}

// sink uses the result of load, so that the compiler does not leave load out.
//
//go:noinline
func sink(uint64) {}

// batch is of how many policies the memory is loaded at once.
const batch = 32

// What load reads of a policy that has no rules, of a file without any, and of a rule set that has no lookup.
var (
	noFile   = File{index: []byte{0}, body: " "}
	noRules  = ruleSet{file: &noFile}
	noLookup lookup
	noBytes  uint64
)

// load reads what the decisions of some policies read first, in the steps in which one place leads to
// the next. A branch that depends on what a step reads goes nearly always the same way: a processor that waits for the
// memory to know the way does not ask for the next place. The result means nothing.
func load(policies []*Policy) (sum uint64) {
	var sets [batch]*ruleSet
	var lookups [batch]*lookup
	var files [batch]*File
	var octets [batch]*uint64
	for i, p := range policies {
		sets[i] = orElse(p.rules, &noRules)
	}
	for i := range policies {
		lookups[i], files[i] = orElse(sets[i].lookup.Load(), &noLookup), sets[i].file
	}
	for i := range policies {
		octets[i] = orElse(unsafe.SliceData(lookups[i].heads.octets), &noBytes)
		if f, g := files[i], &sets[i].group[0]; int(g.at) < len(f.index) && int(g.end) < len(f.body) {
			sum += uint64(f.index[g.at]) + uint64(f.body[g.end])
		}
	}
	for i := range policies {
		sum += *octets[i]
	}
	return sum
}

func orElse[T any](p, other *T) *T {
	if p == nil {
		p = other
	}
	return p
}
