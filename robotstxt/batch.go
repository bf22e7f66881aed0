package robotstxt

import "unsafe"

// CheckAll sets decisions[i] to policies[i].Check(targets[i]). The slices must have the same length, and no policy may
// be nil. If the policies are of many sites, CheckAll is faster than single calls, because it waits less for memory.
// CheckAll allocates nothing.
func CheckAll(policies []*Policy, targets []string, decisions []Decision) {
	var loaded uint64
	for from := 0; from < len(policies); from += batch {
		to := min(from+batch, len(policies))
		loaded += loadMemory(policies[from:to])
		for i := from; i < to; i++ {
			decisions[i] = policies[i].Check(targets[i])
		}
	}
	sink(loaded)
}

// sink uses the result of loadMemory. Otherwise, the compiler could leave out the calls of loadMemory.
//
//go:noinline
func sink(uint64) {}

const batch = 32

// loadMemory reads these variables in place of a nil pointer.
var (
	noFile   = File{index: []byte{0}, body: " "}
	noRules  = ruleSet{file: &noFile}
	noLookup lookup
	noBytes  uint64
)

// loadMemory reads the memory that Check needs first. The processor then waits for the memory of many policies at the
// same time, and not for one after the other. With a branch, the processor would wait for each policy. The function
// orElse has no branch.
func loadMemory(policies []*Policy) (sum uint64) {
	var sets [batch]*ruleSet
	var lookups [batch]*lookup
	var files [batch]*File
	var bytes [batch]*uint64
	for i, p := range policies {
		sets[i] = orElse(p.rules, &noRules)
	}
	for i := range policies {
		lookups[i], files[i] = orElse(sets[i].lookup.Load(), &noLookup), sets[i].file
	}
	for i := range policies {
		bytes[i] = orElse(unsafe.SliceData(lookups[i].heads.bytes), &noBytes)
		if f, g := files[i], &sets[i].group[0]; int(g.start) < len(f.index) && int(g.end) < len(f.body) {
			sum += uint64(f.index[g.start]) + uint64(f.body[g.end])
		}
	}
	for i := range policies {
		sum += *bytes[i]
	}
	return sum
}

func orElse[T any](p, other *T) *T {
	if p == nil {
		p = other
	}
	return p
}
