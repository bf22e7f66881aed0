package robotstxt

import (
	"cmp"
	"slices"
	"strings"
)

// sortTexts finds the order of texts. place[i] is the place of texts[i], sorted[p] the index of a text with place p.
//
//	texts "b", "a", "b"    place 1, 0, 1    sorted 1, 0
func sortTexts(texts []string) (place, sorted []int32) {
	items := make([]textItem, len(texts))
	for i := range items {
		items[i].index = int32(i)
	}
	sortItems(items, make([]textItem, len(items)), texts, 0)
	place, sorted = make([]int32, len(texts)), make([]int32, 0, len(items))
	for i := range items {
		at := items[i].index
		if i == 0 || texts[at] != texts[items[i-1].index] {
			sorted = append(sorted, at)
		}
		place[at] = int32(len(sorted) - 1)
	}
	return place, sorted
}

type textItem struct {
	// start is what firstBytes returns for the rest of the text, after the bytes that all texts have in common.
	start    uint64
	restSize uint8 // size of the rest; moreBytes if it is more than eight
	index    int32
}

// With fewer than fewItems items, whole texts are compared. With manyItems or more, a radix sort is faster.
const (
	fewItems  = 64
	manyItems = 2048
)

// moreBytes means that a text has more than eight bytes after the common bytes. So the field start has only some of
// these bytes.
const moreBytes = 9

// sortItems sorts items. The texts of the items begin with the same bytes, and common is the number of these bytes.
// spare must be as long as items.
func sortItems(items, spare []textItem, texts []string, common int) {
	inAll, inSome := ^uint64(0), uint64(0)
	shortest := uint8(moreBytes)
	for i := range items {
		text := texts[items[i].index][common:]
		items[i].start, items[i].restSize = firstBytes(text), uint8(min(len(text), moreBytes))
		inAll, inSome = inAll&items[i].start, inSome|items[i].start
		shortest = min(shortest, items[i].restSize)
	}
	switch {
	case len(items) < fewItems:
		slices.SortFunc(items, func(a, b textItem) int {
			if a.start != b.start {
				return cmp.Compare(a.start, b.start)
			}
			return strings.Compare(texts[a.index][common:], texts[b.index][common:])
		})
		return
	case len(items) < manyItems:
		slices.SortFunc(items, func(a, b textItem) int {
			if a.start != b.start {
				return cmp.Compare(a.start, b.start)
			}
			return int(a.restSize) - int(b.restSize)
		})
	default:
		if shortest < moreBytes {
			sortByByte(items, spare, restDigit)
		}
		for shift := 0; shift < 64; shift += 8 {
			if uint8((inAll^inSome)>>shift) != 0 { // otherwise all items have the same byte here
				sortByByte(items, spare, shift)
			}
		}
	}
	for from := 0; from < len(items); {
		to := from + 1
		for to < len(items) && items[to].start == items[from].start && items[to].restSize == items[from].restSize {
			to++
		}
		if to-from > 1 && items[from].restSize == moreBytes {
			sortItems(items[from:to], spare[from:to], texts, common+8)
		}
		from = to
	}
}

// A radix sort needs a stable sort by one byte: items with equal bytes keep their order.
func sortByByte(items, spare []textItem, shift int) {
	var next [256]int32
	for i := range items {
		next[items[i].digitAt(shift)]++
	}
	place := int32(0)
	for c, count := range next {
		next[c] = place
		place += count
	}
	for i := range items {
		at := &next[items[i].digitAt(shift)]
		spare[*at] = items[i]
		*at++
	}
	copy(items, spare)
}

// With shift = restDigit, digitAt returns restSize and not a byte of start.
const restDigit = 64

func (it *textItem) digitAt(shift int) uint8 {
	if shift == restDigit {
		return it.restSize
	}
	return uint8(it.start >> (shift & 63))
}
