package audit

import (
	"context"
	"net/netip"
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
	maxLookups  = 32              // the maximum number of addresses that a worker looks up at the same time
	maxResolved = 100_000         // the maximum number of addresses that one audit looks up
	lookupTime  = 5 * time.Second // the maximum time for all lookups of one address
	maxLooked   = 8               // the maximum number of names of one address that are looked up
)

type resolvedNames struct {
	mu    sync.Mutex
	known map[netip.Addr]*addressNames
}

// addressNames has the host names of one address.
type addressNames struct {
	once  sync.Once
	names []string // only names whose own addresses include the address
	isOK  bool     // false if the resolver did not answer all lookups
}

// A waiting has an event whose identity is not known before the host names of an address are looked up.
type waiting struct {
	event   int
	address netip.Addr
}

// resolve looks up the host names of the addresses in s.waiting, and sets the identity of each waiting event (AU-4).
func (s *scanner) resolve(ctx context.Context, out *batch) {
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
			found[w.address] = &addressNames{} // there are too many addresses, so w.address is not looked up
			continue
		}
		working.Go(func() {
			limit <- struct{}{}
			defer func() { <-limit }()
			n.once.Do(func() { n.lookUp(ctx, s.Resolver, w.address) })
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

// get returns the host names of an address, or nil if too many addresses were looked up.
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
	if err != nil { // an address without a name is also an error, and does not prove that another operator has the address
		return
	}
	n.isOK = true
	for _, name := range names[:min(len(names), maxLooked)] {
		all, err := r.LookupNetIP(ctx, "ip", name)
		if err != nil { // Go also returns "not found" if only one of the two DNS questions failed
			n.isOK = false
			continue
		}
		for _, b := range all {
			if b.Unmap() == a {
				n.names = append(n.names, ascii.ToLower(strings.TrimSuffix(name, ".")))
				break
			}
		}
	}
}

// failureCount returns the number of addresses that have no name or could not be looked up.
func (n *resolvedNames) failureCount() (count int) {
	for _, found := range n.known {
		if !found.isOK {
			count++
		}
	}
	return count
}

// identity returns Verified and a host name, if a name of the address is in the crawler's domains.
func (n *addressNames) identity(domains []string) (Identity, string) {
	for _, name := range n.names {
		for _, d := range domains {
			if name == d || strings.HasSuffix(name, "."+d) {
				return Verified, name
			}
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
