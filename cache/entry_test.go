package cache

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/origin"
)

// newCached returns a Cache with a limit in bytes that has cached a file, and the entry.
func newCached(t *testing.T, bytes int64, file string) (*Cache, *entry) {
	t.Helper()
	o, err := origin.Parse("https://a.example")
	if err != nil {
		t.Fatal(err)
	}
	c := &Cache{MemoryBytes: bytes}
	c.once.Do(c.init)
	result := &fetch.Result{Origin: o, Status: 200, Body: []byte(file)}
	e := c.settings.newEntry(&Record{Origin: o, Answered: result, Copy: result})
	c.memory.set(o, e)
	return c, e
}

// G-8: one copy serves all crawlers: at least a hundred policies of it are kept, at most
// maxPolicies, and their memory is counted.
func TestPoliciesAreKept(t *testing.T) {
	c, e := newCached(t, 0, "User-agent: *\nDisallow: /private\n")
	made := map[string]*policy{}
	for i := range 3 * maxPolicies {
		name := fmt.Sprintf("crawler%d", i)
		before := e.size.Load()
		made[name] = c.policyFor(e, []string{name})
		if e.size.Load() <= before && i < maxPolicies {
			t.Errorf("policy %d takes no memory", i)
		}
		if n := count(e); n != 1+i%maxPolicies {
			t.Fatalf("%d policies are kept after %d", n, i+1)
		}
		for _, kept := range []string{name, fmt.Sprintf("crawler%d", i-i%maxPolicies)} { // the newest and the oldest policy in the list
			if again := c.policyFor(e, []string{kept}); again != made[kept] {
				t.Errorf("the policy of %s is compiled twice", kept)
			}
		}
		if counted := int(c.CountedBytes()); counted != allocatedBytes(entryBytes(e)) {
			t.Errorf("%d bytes are counted, %d are in use", counted, allocatedBytes(entryBytes(e)))
		}
	}
	if maxPolicies < 100 {
		t.Errorf("only %d policies are kept", maxPolicies)
	}
}

// count returns how many policies an entry keeps.
func count(e *entry) (n int) {
	for p := e.policies.Load(); p != nil; p = p.older {
		n++
	}
	return n
}

// Large policies take at most their part of the memory; the last one is always kept.
func TestLargePoliciesAreLimited(t *testing.T) {
	c, e := newCached(t, 1, "User-agent: *\nDisallow: /private\n")
	for i := range 3 {
		agents := []string{fmt.Sprintf("crawler%d", i)}
		if p := c.policyFor(e, agents); c.policyFor(e, agents) != p || count(e) != 1 {
			t.Errorf("%d policies are kept", count(e))
		}
	}
	c, e = newCached(t, 1<<20, "User-agent: *\nDisallow: /private\n")
	long := strings.Repeat("x", 10_000)
	for i := range 20 {
		c.policyFor(e, []string{fmt.Sprint(long, i)})
		if size := policiesBytes(e.policies.Load()); size > 1<<20/policyShare || size < 10_000 {
			t.Errorf("%d policies take %d bytes", count(e), size)
		}
	}
}

// Each list of product tokens has its own policy, even if two lists differ only a little.
func TestPolicyForEachListOfAgents(t *testing.T) {
	c, e := newCached(t, 0, "User-agent: a\nDisallow: /a\n\nUser-agent: b\nDisallow: /b\n")
	lists := [][]string{{"a"}, {"b"}, {"a", "b"}, {"b", "a"}, {"ab"}, {"a", ""}, {"*"}, {"A"}, {"a", "b", "a"}}
	policies := map[*policy]bool{}
	for range 2 {
		for _, list := range lists {
			policies[c.policyFor(e, list)] = true
		}
	}
	if len(policies) != len(lists) {
		t.Errorf("%d policies for %d lists of agents", len(policies), len(lists))
	}
}

// A policy copies the product tokens, so that it does not keep a larger string in memory.
func TestPolicyCopiesAgents(t *testing.T) {
	c, e := newCached(t, 0, "User-agent: a\nDisallow: /a\n")
	for _, agent := range []string{"crawler", "crawler/1.0 (of a header)"} {
		p := c.policyFor(e, []string{agent})
		for _, kept := range []string{p.agents[0], p.Agents()[0]} {
			if unsafe.StringData(kept) == unsafe.StringData(agent) {
				t.Errorf("%q is no copy", kept)
			}
		}
	}
}

// Goroutines that need a policy at the same time share it, and the file is parsed once.
func TestPolicyIsCompiledOnce(t *testing.T) {
	c, e := newCached(t, 0, "User-agent: *\n"+strings.Repeat("Disallow: /private\n", 1000))
	var wg sync.WaitGroup
	policies, files := make([]any, 20), make([]any, 20)
	for i := range policies {
		wg.Go(func() {
			policies[i] = c.policyFor(e, []string{"a"})
			files[i] = c.fileOf(e)
		})
	}
	wg.Wait()
	for i := range policies {
		if policies[i] != policies[0] || files[i] != files[0] {
			t.Error("compiled or parsed twice")
		}
	}
	if counted := int(c.CountedBytes()); counted != allocatedBytes(entryBytes(e)) || count(e) != 1 {
		t.Errorf("%d bytes are counted, %d are in use", counted, allocatedBytes(entryBytes(e)))
	}
}

// The memory of a parsed file is counted once, also without a policy.
func TestFileIsCountedOnce(t *testing.T) {
	c, e := newCached(t, 0, strings.Repeat("User-agent: *\n", 1000))
	before := c.CountedBytes()
	f := c.fileOf(e)
	if grown := int64(c.CountedBytes() - before); grown <= 0 || grown >= 38_000 {
		t.Errorf("a file of %d bytes, which shares the body of the record, adds %d bytes", f.Size(), grown)
	}
	if c.fileOf(e) != f {
		t.Error("parsed twice")
	}
}
