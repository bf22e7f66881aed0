// Package watch looks at the robots.txt of many sites whenever their copies are no longer fresh, and tells what changes and
// for whom. What changes nothing is not told: package compare proves that.
//
// state.after decides what is told, from the state of a site and what a look at it found; it reads no clock, and fetches
// nothing. Watch fetches, keeps the states as notes of a store, and tells the events. An event is in the same note as the
// state that it was made from, so a process that is killed neither loses an event nor makes it twice. It may tell one again
// that it told just before: then it has the same ID.
package watch
