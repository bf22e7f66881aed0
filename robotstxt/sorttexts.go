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

type textItem struct {
	// The rest of a text comes after the bytes that all texts have in common. start is firstBytes of the rest.
	start    uint64
	restSize uint8 // how many bytes the rest has; moreBytes (9) if it has more than eight
	at       int32 // the index of the text in the list
}

// If sortItems gets at least fewItems items, it compares eight bytes at a time. If it gets at least manyItems items, it
// uses a radix sort.
const (
	fewItems  = 64
	manyItems = 2048
)

// moreBytes is the value of restSize if the rest has more than eight bytes, because the field start has only eight.
const moreBytes = 9

// sortItems sorts items. The first bytes of their texts are equal, as many as the parameter common says. sortItems
// overwrites spare, which must be as long as items.
//
// If there are few items, it compares the whole texts. If there are more, it sorts by start and restSize. If there are
// many, it uses a radix sort.
func sortItems(items, spare []textItem, texts []string, common int) {
	// inAll has the bits that are set in start of all items, and inSome those that are set in at least one item.
	inAll, inSome := ^uint64(0), uint64(0)
	shortest := uint8(moreBytes)
	for i := range items {
		text := texts[items[i].at][common:]
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
			return strings.Compare(texts[a.at][common:], texts[b.at][common:])
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

// sortByByte sorts items by one byte of start, or by restSize (see digitAt). Items with equal values keep their order.
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

// restDigit is a special value for the parameter shift of digitAt: digitAt then returns restSize.
const restDigit = 64

func (it *textItem) digitAt(shift int) uint8 {
	if shift == restDigit {
		return it.restSize
	}
	return uint8(it.start >> (shift & 63))
}
