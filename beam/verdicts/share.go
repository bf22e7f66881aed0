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

// The first lines about a host go to the first share of this host (a share is checked together). Each list makes later
// shares of its own, so lists need not know each other's numbers of lines.

func firstShare(host string) string { return "0 " + host }

// Each list sends at least this many lines to the first share, because each later share needs a copy of the captures.
const minQuota = 64

type sharing struct {
	list  int64
	quota int // how many lines about a host go to the first share of the host
	max   int // the maximum number of lines in each later share
	// lines counts the sent lines by hash of the host. Hosts with the same hash get smaller shares.
	lines []uint64
}

const hashes = 1 << 20

// hashOf returns the same hash in every process. Beam may do the same work in two processes, and then use some results of
// each.
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

// maxBlock returns the maximum number of lines in the next block of a host.
func (s *sharing) maxBlock(host string) int {
	over := int(*s.sentLines(host)) - s.quota
	if over < 0 {
		return -over
	}
	return min(max(1, s.max/16), s.max-over%s.max)
}

// next returns the key of the share for the next n lines about a host. isLater is false if this is the first share of the
// host.
func (s *sharing) next(host string, n int) (key string, isLater bool) {
	before := s.sentLines(host)
	over := int(*before) - s.quota
	*before += uint64(n)
	if over < 0 {
		return firstShare(host), false
	}
	return fmt.Sprintf("%d.%d %s", s.list, over/s.max, host), true
}

// joinShares puts together the lines of each share and the captures of its host.
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
