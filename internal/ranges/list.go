// Package ranges reads the address lists that operators publish for their crawlers, and looks addresses up (AU-4, AU-16).
package ranges

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/heed-robots/heed/internal/lines"
)

// A List has the addresses of a crawler, as its operator published them at one time.
type List struct {
	Name     string    // the name of the file
	Dated    time.Time // when the list was published; if zero, the list is used for all times
	Prefixes int
	Ignored  int // entries that heed cannot read

	from []span // sorted, without overlaps
}

// The prefix of a span is the narrowest one that contains all of its addresses.
type span struct {
	first, last netip.Addr
	prefix      netip.Prefix
	service     string
}

// A Match says where an address is in a List.
type Match struct {
	Prefix  netip.Prefix // the narrowest prefix that contains the address
	Service string       // what the list says in "service" about the prefix; may be ""
}

// hasSome means that the list has at least one address of the network, and hasAll that it has all of them. The Match is
// about the first address that the list has.
func (l *List) Find(network netip.Prefix) (m Match, hasSome, hasAll bool) {
	at, last := network.Masked().Addr(), lastOf(network)
	i, _ := slices.BinarySearchFunc(l.from, at, func(s span, a netip.Addr) int { return s.last.Compare(a) })
	hasAll = true
	for ; i < len(l.from) && l.from[i].first.Compare(last) <= 0; i++ {
		s := &l.from[i]
		if !hasSome {
			m, hasSome = Match{s.prefix, s.service}, true
		}
		hasAll = hasAll && s.first.Compare(at) <= 0
		if s.last.Compare(last) >= 0 {
			return m, true, hasAll
		}
		at = s.last.Next()
	}
	return m, hasSome, false
}

type listedPrefix struct {
	prefix  netip.Prefix
	service string
}

func parse(text string) (*List, error) {
	text = strings.TrimPrefix(text, lines.ByteOrderMark)
	if strings.HasPrefix(strings.TrimSpace(text), "{") {
		return parseJSON(text)
	}
	return parseLines(text)
}

// The format is that of draft-illyes-webbotauth-jafar-00.
func parseJSON(text string) (*List, error) {
	var file struct {
		CreationTime string `json:"creationTime"`
		Prefixes     []struct {
			V4      *string `json:"ipv4Prefix"`
			V6      *string `json:"ipv6Prefix"`
			Service string  `json:"service"`
		} `json:"prefixes"`
	}
	if err := json.Unmarshal([]byte(text), &file); err != nil {
		return nil, fmt.Errorf(`expected a JSON object with "prefixes", as operators publish it: %w`, err)
	}
	if file.Prefixes == nil {
		return nil, errors.New(`the object has no "prefixes"; expected {"creationTime": …, "prefixes": [{"ipv4Prefix": "192.0.2.0/24"}]}`)
	}
	l := &List{}
	if file.CreationTime != "" {
		if l.Dated = readTime(file.CreationTime); l.Dated.IsZero() {
			return nil, fmt.Errorf("creationTime %q: expected a time such as 2026-10-10T13:55:36Z", file.CreationTime)
		}
	}
	var all []listedPrefix
	for _, p := range file.Prefixes {
		given, is4 := cmp.Or(p.V4, p.V6), p.V4 != nil
		if is4 == (p.V6 != nil) { // both are given, or neither
			l.Ignored++
		} else if prefix, ok := ReadPrefix(*given); !ok || prefix.Addr().Is4() != is4 {
			l.Ignored++
		} else {
			all = append(all, listedPrefix{prefix, p.Service})
		}
	}
	return l.setPrefixes(all)
}

// A time without a zone is in UTC.
func readTime(s string) time.Time {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05", time.DateOnly} {
		if t, err := time.Parse(layout, s); err == nil {
			return t
		}
	}
	return time.Time{}
}

// In a line, for example of a CSV file, only the first prefix is read.
func parseLines(text string) (*List, error) {
	l := &List{}
	var all []listedPrefix
	for line := range strings.Lines(text) {
		line = lines.Text(line)
		if line == "" {
			continue
		}
		found := false
		for _, field := range strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(",;\t \"", r) }) {
			if prefix, ok := ReadPrefix(field); ok {
				all, found = append(all, listedPrefix{prefix: prefix}), true
				break
			}
		}
		if !found {
			l.Ignored++
		}
	}
	return l.setPrefixes(all)
}

func ReadPrefix(s string) (netip.Prefix, bool) {
	s = strings.TrimSpace(s)
	if p, err := netip.ParsePrefix(s); err == nil {
		if a := p.Addr(); a.Is4In6() && p.Bits() >= 96 {
			p = netip.PrefixFrom(a.Unmap(), p.Bits()-96)
		}
		return p.Masked(), true
	}
	a, err := netip.ParseAddr(s)
	if err != nil {
		return netip.Prefix{}, false
	}
	a = a.Unmap().WithZone("")
	return netip.PrefixFrom(a, a.BitLen()), true
}

// A list without prefixes is an error. With such a list, every request would seem to come from an
// impostor.
func (l *List) setPrefixes(all []listedPrefix) (*List, error) {
	if len(all) == 0 {
		return nil, errors.New("the list has no prefix; expected at least one, such as 192.0.2.0/24")
	}
	// A prefix comes before the narrower prefixes that it contains.
	slices.SortStableFunc(all, func(a, b listedPrefix) int {
		return cmp.Or(a.prefix.Addr().Compare(b.prefix.Addr()), cmp.Compare(a.prefix.Bits(), b.prefix.Bits()))
	})
	l.Prefixes = len(all)
	var open []span // the prefixes that contain the current address, the narrowest last
	var next netip.Addr
	closeTo := func(end netip.Addr, isEnd bool) {
		for len(open) > 0 {
			top := open[len(open)-1]
			if !isEnd && !top.last.Less(end) {
				return
			}
			if next.Compare(top.last) <= 0 {
				l.from = append(l.from, span{next, top.last, top.prefix, top.service})
				next = top.last.Next()
			}
			open = open[:len(open)-1]
		}
	}
	for _, p := range all {
		s := span{p.prefix.Addr(), lastOf(p.prefix), p.prefix, p.service}
		closeTo(s.first, false)
		if len(open) > 0 {
			top := open[len(open)-1]
			if next.Less(s.first) {
				l.from = append(l.from, span{next, s.first.Prev(), top.prefix, top.service})
			}
		}
		next = s.first
		open = append(open, s)
	}
	closeTo(netip.Addr{}, true)
	return l, nil
}

func lastOf(p netip.Prefix) netip.Addr {
	bytes := p.Addr().AsSlice()
	for i := p.Bits(); i < len(bytes)*8; i++ {
		bytes[i/8] |= 1 << (7 - i%8)
	}
	last, _ := netip.AddrFromSlice(bytes)
	return last
}
