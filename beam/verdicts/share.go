package verdicts

import (
	"fmt"
	"hash/fnv"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
)

func init() {
	register.DoFn4x0[string, func(*[]byte) bool, func(*string) bool, func(string, []byte)](&sendCaptures{})
	register.Emitter2[string, string]()
}

// The lines about a host are checked in one share, or, if there are many, in several, so that no worker
// waits for the one that has a large host. The first lines of each list go to the first share of their
// host; a list that has more of them makes shares of its own. So nobody has to count the lines of a host
// before, and only large hosts have more than one share.

// firstShare returns the key of the first share of a host.
func firstShare(host string) string { return "0 " + host }

// minQuota is how many lines of each list go to the first share of a host at least. Each further share
// costs a copy of the captures.
const minQuota = 64

// A sharing decides to which share of their host the lines of a list go.
type sharing struct {
	list  int64
	quota int      // lines of the list that go to the first share
	max   int      // lines of a further share
	lines []uint64 // that were sent, by a hash of their host. Two hosts with one hash have smaller shares
}

const hashes = 1 << 20

// hash is the same in each process: a runner may do a part of the work again, and use both results.
func hash(text string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(text))
	return h.Sum32()
}

func newSharing(list int64, lists, maxShare int) *sharing {
	quota := min(maxShare, max(minQuota, maxShare/lists))
	return &sharing{list: list, quota: quota, max: maxShare, lines: make([]uint64, hashes)}
}

func (s *sharing) before(host string) *uint64 { return &s.lines[hash(host)%hashes] }

// most returns how many lines the next block of a host has at most.
func (s *sharing) most(host string) int {
	over := int(*s.before(host)) - s.quota
	if over < 0 {
		return -over
	}
	return min(max(1, s.max/16), s.max-over%s.max)
}

// next returns the key of the share for a block of n lines. further is false if it is the first share.
func (s *sharing) next(host string, n int) (key string, further bool) {
	before := s.before(host)
	over := int(*before) - s.quota
	*before += uint64(n)
	if over < 0 {
		return firstShare(host), false
	}
	return fmt.Sprintf("%d.%d %s", s.list, over/s.max, host), true
}

// join joins the captures of each host with its lines. further are the keys of the shares other than the
// first, by host.
func join(s beam.Scope, captures, lines, further beam.PCollection) beam.PCollection {
	s = s.Scope("join")
	sent := beam.ParDo(s, &sendCaptures{}, beam.CoGroupByKey(s, captures, further))
	return beam.CoGroupByKey(s, sent, lines)
}

// sendCaptures sends the captures of a host to all its shares.
type sendCaptures struct{}

// ProcessElement sends the captures of a host.
func (*sendCaptures) ProcessElement(host string, captures func(*[]byte) bool, further func(*string) bool, emit func(string, []byte)) {
	keys := map[string]bool{firstShare(host): true}
	for key := ""; further(&key); {
		keys[key] = true
	}
	for sent := []byte(nil); captures(&sent); {
		for key := range keys {
			emit(key, sent)
		}
	}
}
