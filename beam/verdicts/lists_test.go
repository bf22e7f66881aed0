package verdicts

import (
	"fmt"
	"testing"
	"unsafe"

	"github.com/heed-robots/heed/internal/bulk/stream"
	"github.com/heed-robots/heed/internal/testing/portion"
)

// TestMemoryOfLines: the memory of a line is used again for the next ones, so nothing that is sent may be
// in it: some runners keep what they get, without a copy.
func TestMemoryOfLines(t *testing.T) {
	r := &readList{Options: Options{MaxShare: 100}}
	r.Setup()
	r.sharing = newSharing(0, 1, 100)
	sent, owned := 0, map[string]int{}
	var hosts []string
	emit := func(key string, _ []byte) { sent++ }
	own := func(host, key string) { hosts = append(hosts, host) }
	memory := make([]byte, len("https://a.example/"))
	for range 1000 {
		copy(memory, "https://a.example/")
		url := unsafe.String(unsafe.SliceData(memory), len(memory))
		r.add(url[len("https://"):len(url)-1], &stream.Line{URL: url, Text: url}, emit, own)
		clear(memory)
	}
	r.flush(emit, own)
	for _, host := range hosts {
		owned[host]++
	}
	if len(owned) != 1 || owned["a.example"] != len(hosts) || sent <= len(hosts) || r.bytes != 0 {
		t.Errorf("%v, %d blocks", owned, sent)
	}
}

// TestBlocksOfManyHosts: many hosts with one line each do not fill the memory.
func TestBlocksOfManyHosts(t *testing.T) {
	portion.Skip(t, 4)
	r := &readList{Options: Options{MaxShare: 100_000}}
	r.Setup()
	r.sharing = newSharing(0, 1, 100_000)
	most, sent := 0, 0
	emit := func(string, []byte) { sent++ }
	const hosts = 400_000
	for i := range hosts {
		host := fmt.Sprintf("h%d.example", i)
		r.add(host, &stream.Line{URL: host, Text: host}, emit, nil)
		most = max(most, len(r.blocks))
	}
	r.flush(emit, nil)
	if most > maxBlocks/blockOverhead || sent != hosts {
		t.Errorf("%d blocks at once, %d were sent", most, sent)
	}
}
