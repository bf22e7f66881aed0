package audit

import (
	"context"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/heed-robots/heed/internal/ascii"
)

type Resolver interface {
	LookupAddr(ctx context.Context, address string) (names []string, err error)
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

const (
	maxLookups  = 32              // addresses that one worker looks up at the same time
	maxResolved = 100_000         // addresses that one audit looks up
	lookupTime  = 5 * time.Second // for all lookups of one address
	maxLooked   = 8               // names of one address that are looked up: whoever owns the address can give it any number of names
)

type resolvedNames struct {
	mu    sync.Mutex
	known map[netip.Addr]*addressNames
}

type addressNames struct {
	once  sync.Once
	names []string // only names that lead back to the address: the owner of an address can give it any name
	isOK  bool     // false if the resolver did not answer all lookups
}

type unresolvedEvent struct {
	event   int
	address netip.Addr
}

// resolve looks up host names, and sets the identity of each event in s.waiting (AU-4).
func (s *scanner) resolve(out *batch) {
	if len(s.waiting) == 0 {
		return
	}
	var working sync.WaitGroup
	limit := make(chan struct{}, maxLookups)
	found := map[netip.Addr]*addressNames{}
	for _, w := range s.waiting {
		if found[w.address] != nil {
			continue
		}
		n := s.names.get(w.address)
		if found[w.address] = n; n == nil {
			found[w.address] = &addressNames{} // too many addresses were looked up
			continue
		}
		working.Go(func() {
			limit <- struct{}{}
			defer func() { <-limit }()
			n.once.Do(func() { n.lookUp(s.ctx, s.Resolver, w.address) })
		})
	}
	working.Wait()
	for _, w := range s.waiting {
		e := &out.events[w.event]
		var name string
		if e.identity, name = found[w.address].identity(e.crawler.hosts); e.found != nil {
			e.found.proof.name = name
		}
	}
	s.waiting = s.waiting[:0]
}

func (n *resolvedNames) get(a netip.Addr) *addressNames {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.known == nil {
		n.known = map[netip.Addr]*addressNames{}
	}
	found := n.known[a]
	if found == nil && len(n.known) < maxResolved {
		found = &addressNames{}
		n.known[a] = found
	}
	return found
}

func (n *addressNames) lookUp(ctx context.Context, r Resolver, a netip.Addr) {
	ctx, stop := context.WithTimeout(ctx, lookupTime)
	defer stop()
	names, err := r.LookupAddr(ctx, a.String())
	if err != nil { // also if the address has no name: this does not prove an impostor
		return
	}
	n.isOK = true
	for _, name := range names[:min(len(names), maxLooked)] {
		all, err := r.LookupNetIP(ctx, "ip", name)
		if err != nil { // Go also returns "not found" if only one of its two DNS questions failed
			n.isOK = false
			continue
		}
		if slices.ContainsFunc(all, func(b netip.Addr) bool { return b.Unmap() == a }) {
			n.names = append(n.names, ascii.ToLower(strings.TrimSuffix(name, ".")))
		}
	}
}

func (n *resolvedNames) failureCount() (count int) {
	for _, found := range n.known {
		if !found.isOK {
			count++
		}
	}
	return count
}

func (n *addressNames) identity(domains []string) (Identity, string) {
	for _, name := range n.names {
		if slices.ContainsFunc(domains, func(d string) bool { return name == d || strings.HasSuffix(name, "."+d) }) {
			return Verified, name
		}
	}
	if !n.isOK {
		return NotCheckable, ""
	}
	name := ""
	if len(n.names) > 0 {
		name = n.names[0]
	}
	return Impostor, name
}
