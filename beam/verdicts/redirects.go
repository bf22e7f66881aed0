package verdicts

import (
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/transforms/filter"

	"github.com/heed-robots/heed/internal/bulk"
	"github.com/heed-robots/heed/internal/bulk/capture"
	"github.com/heed-robots/heed/origin"
)

func init() {
	register.DoFn4x1[string, []byte, func(string, []byte), func(string), error](&byHost{})
	register.DoFn6x1[string, func(*[]byte) bool, func(*string) bool, func(string, []byte), func(string), func(string, []byte), error](&follow{})
	register.Function1x2(cutNeed)
	register.Emitter1[string]()
	register.Iter1[[]byte]()
	register.Iter1[string]()
}

// Each round follows one more redirect, so the parameter rounds limits the number of redirects in a chain.
func followRedirects(s beam.Scope, captures beam.PCollection, rounds int) beam.PCollection {
	s = s.Scope("redirects")
	ofHosts, needs := beam.ParDo2(s, &byHost{}, captures)
	all := []beam.PCollection{ofHosts}
	for round := range rounds {
		needed := beam.ParDo(s, cutNeed, filter.Distinct(s, needs))
		found, next, targets := beam.ParDo3(s, &follow{}, beam.CoGroupByKey(s, captures, needed))
		all = append(all, found)
		if needs = next; round == 0 {
			captures = targets // from now on only targets of redirects are needed, which are few
		}
	}
	return beam.Flatten(s, all...)
}

// One round more than the highest limit shows that a chain is too long.
func roundsOf(columns []bulk.Column) (most int) {
	for _, c := range columns {
		most = max(most, c.Statuses.MaxRedirects+1)
	}
	return most
}

func newNeed(target, host string) string { return target + "\x00" + host }

func cutNeed(need string) (target, host string) {
	target, host, _ = strings.Cut(need, "\x00")
	return target, host
}

type byHost struct{}

// ProcessElement emits a capture with the host of its robots.txt as the key. For a redirect or a revisit, it also
// asks for the captures of the target or the original.
func (*byHost) ProcessElement(key string, sent []byte, emit func(string, []byte), needs func(string)) error {
	host := robotsHost(key)
	if host != "" {
		emit(host, sent)
	}
	c, err := received[capture.Capture](sent)
	if err != nil || c.Location == "" {
		return err
	}
	target := capture.KeyOf(c.Location)
	if robotsHost(target) == host { // a host always has the captures of its own robots.txt files
		host = ""
	}
	needs(newNeed(target, host))
	return nil
}

func robotsHost(key string) string {
	if !strings.HasSuffix(key, "/robots.txt") {
		return ""
	}
	schemes := []string{""}
	if strings.HasPrefix(key, "//") { // this key is for http and for https; its port may be the default port of one of them
		schemes = []string{"http:", "https:"}
	}
	for _, scheme := range schemes {
		if o, err := origin.Parse(scheme + key); err == nil && o.RobotsURL() == scheme+key {
			return o.Host()
		}
	}
	return ""
}

type follow struct{}

// ProcessElement sends the captures of a URL to each host whose redirects lead to this URL.
func (*follow) ProcessElement(key string, captures func(*[]byte) bool, hosts func(*string) bool, emit func(string, []byte), needs func(string), targets func(string, []byte)) error {
	var host string
	if !hosts(&host) {
		return nil
	}
	var all [][]byte
	locations := map[string]string{}
	for sent := []byte(nil); captures(&sent); {
		c, err := received[capture.Capture](sent)
		if err != nil {
			return err
		}
		all = append(all, sent)
		targets(key, sent)
		if c.Location != "" {
			target := capture.KeyOf(c.Location)
			locations[target] = robotsHost(target)
		}
	}
	for more := true; more; more = hosts(&host) {
		if host == "" {
			continue
		}
		for _, sent := range all {
			emit(host, sent)
		}
		for location, of := range locations {
			if of != host { // otherwise the host has these captures already
				needs(newNeed(location, host))
			}
		}
	}
	return nil
}
