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

// A share is a group of lines about one host, which are checked together. All lists use the first share of a host.
// Each later share has lines of only one list. So a list need not know how many lines the other lists have.

func firstShare(host string) string { return "0 " + host }

// Lines about a host are checked in shares. Each later share needs a copy of the host's captures. So each list sends
// at least this many lines to the first share.
const minQuota = 64

type sharing struct {
	list  int64
	quota int
	max   int
	// lines has the number of lines for each hash of a host. If two hosts have the same hash, their shares are
	// smaller. Smaller shares do no harm.
	lines []uint64
}

const hashes = 1 << 20

// Beam may do the same work in two processes, so the hash must be the same in both.
func hashOf(text string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(text))
	return h.Sum32()
}

func newSharing(list int64, lists, maxShare int) *sharing {
	quota := min(maxShare, max(minQuota, maxShare/lists))
	return &sharing{list: list, quota: quota, max: maxShare, lines: make([]uint64, hashes)}
}

func (s *sharing) sentLines(host string) *uint64 { return &s.lines[hashOf(host)%hashes] }

func (s *sharing) maxBlock(host string) int {
	over := int(*s.sentLines(host)) - s.quota
	if over < 0 {
		return -over
	}
	return min(max(1, s.max/16), s.max-over%s.max)
}

func (s *sharing) next(host string, n int) (key string, isLater bool) {
	before := s.sentLines(host)
	over := int(*before) - s.quota
	*before += uint64(n)
	if over < 0 {
		return firstShare(host), false
	}
	return fmt.Sprintf("%d.%d %s", s.list, over/s.max, host), true
}

func joinShares(s beam.Scope, captures, lines, laterShares beam.PCollection) beam.PCollection {
	s = s.Scope("join")
	sent := beam.ParDo(s, &sendCaptures{}, beam.CoGroupByKey(s, captures, laterShares))
	return beam.CoGroupByKey(s, sent, lines)
}

type sendCaptures struct{}

func (*sendCaptures) ProcessElement(host string, captures func(*[]byte) bool, laterShares func(*string) bool, emit func(string, []byte)) {
	keys := map[string]bool{firstShare(host): true}
	for key := ""; laterShares(&key); {
		keys[key] = true
	}
	for sent := []byte(nil); captures(&sent); {
		for key := range keys {
			emit(key, sent)
		}
	}
}
