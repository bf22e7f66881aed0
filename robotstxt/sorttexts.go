package robotstxt

import (
	"cmp"
	"slices"
	"strings"
)

// sortTexts sorts texts without changing them. place has the place of each text among the
// sorted distinct texts; sorted has, for each place, the number of a text.
func sortTexts(texts []string) (place, sorted []int32) {
	items := make([]textItem, len(texts))
	for i := range items {
		items[i].at = int32(i)
	}
	sortItems(items, make([]textItem, len(items)), texts, 0)
	place, sorted = make([]int32, len(texts)), make([]int32, 0, len(items))
	for i := range items {
		at := items[i].at
		if i == 0 || texts[at] != texts[items[i-1].at] {
			sorted = append(sorted, at)
		}
		place[at] = int32(len(sorted) - 1)
	}
	return place, sorted
}

// textItem is a text that is being sorted.
type textItem struct {
	octets uint64 // firstBytes of the text behind the common bytes
	rest   uint8  // how many bytes the text has there, at most moreBytes
	at     int32  // the number of the text
}

// The numbers of items from which on sortItems compares eight bytes at a time, and uses a radix sort.
const (
	fewItems  = 64
	manyItems = 2048
)

// moreBytes as rest means: more than the eight in bytes.
const moreBytes = 9

// sortItems sorts items whose texts have the first common bytes in common. spare is as long
// as items. It sorts by the next eight bytes, and then all longer texts with the same
// eight bytes by the bytes behind these. Some items are sorted by comparison, many by a radix sort:
// first by rest, then by each of the bytes, the last one first. The texts of few items are compared to
// their ends, since they may have many bytes in common.
func sortItems(items, spare []textItem, texts []string, common int) {
	every, some := ^uint64(0), uint64(0) // the bits that all have, and that any has
	shortest := uint8(moreBytes)
	for i := range items {
		text := texts[items[i].at][common:]
		items[i].octets, items[i].rest = firstBytes(text), uint8(min(len(text), moreBytes))
		every, some = every&items[i].octets, some|items[i].octets
		shortest = min(shortest, items[i].rest)
	}
	switch {
	case len(items) < fewItems:
		slices.SortFunc(items, func(a, b textItem) int {
			if a.octets != b.octets {
				return cmp.Compare(a.octets, b.octets)
			}
			return strings.Compare(texts[a.at][common:], texts[b.at][common:])
		})
		return
	case len(items) < manyItems:
		slices.SortFunc(items, func(a, b textItem) int {
			if a.octets != b.octets {
				return cmp.Compare(a.octets, b.octets)
			}
			return int(a.rest) - int(b.rest)
		})
	default:
		if shortest < moreBytes {
			sortByByte(items, spare, restDigit)
		}
		for shift := 0; shift < 64; shift += 8 {
			if uint8((every^some)>>shift) != 0 { // else it is the same in all
				sortByByte(items, spare, shift)
			}
		}
	}
	for from := 0; from < len(items); {
		to := from + 1
		for to < len(items) && items[to].octets == items[from].octets && items[to].rest == items[from].rest {
			to++
		}
		if to-from > 1 && items[from].rest == moreBytes {
			sortItems(items[from:to], spare[from:to], texts, common+8)
		}
		from = to
	}
}

// sortByByte sorts items by one byte of bytes, or by rest. Items that are equal in this
// keep their order.
func sortByByte(items, spare []textItem, shift int) {
	var next [256]int32
	for i := range items {
		next[items[i].digit(shift)]++
	}
	place := int32(0)
	for c, count := range next {
		next[c] = place
		place += count
	}
	for i := range items {
		at := &next[items[i].digit(shift)]
		spare[*at] = items[i]
		*at++
	}
	copy(items, spare)
}

// restDigit as a shift means rest.
const restDigit = 64

func (it *textItem) digit(shift int) uint8 {
	if shift == restDigit {
		return it.rest
	}
	return uint8(it.octets >> (shift & 63))
}
