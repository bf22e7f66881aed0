package charset

import (
	"github.com/heed-robots/heed/robotstxt"
	"github.com/heed-robots/heed/robotstxt/record"
)

// Records counts the lines of each kind. Known records such as Crawl-delay count as robotstxt.KindOther.
type Records [robotstxt.KindOther + 1]int

func CountRecords(text []byte) (n Records) {
	for line := range robotstxt.Parse(text, robotstxt.RFC9309.WithLimit(len(text))).Lines() {
		switch line.Kind {
		case robotstxt.KindUserAgent, robotstxt.KindAllow, robotstxt.KindDisallow, robotstxt.KindSitemap:
			n[line.Kind]++
		case robotstxt.KindOther:
			if _, known := record.Lookup(line.Key); known {
				n[line.Kind]++
			}
		}
	}
	return n
}

func (n Records) MoreThan(m Records) bool {
	for kind := range n {
		if n[kind] > m[kind] {
			return true
		}
	}
	return false
}

func (n Records) All() (sum int) {
	for _, count := range n {
		sum += count
	}
	return sum
}
