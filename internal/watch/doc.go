// Package watch fetches the robots.txt of many sites again when their copies are no longer fresh, and reports what
// changes and for whom. It does not report a change if package compare proves that no verdict and no preference changes.
// A report is an event; "to tell an event" means to send it to the program that uses the package.
//
// A look at a site finds out what its robots.txt is now, from the site or from the cache. state.after decides which
// events there are, from the state of a site and the result of a look. It reads no clock, and fetches nothing. Watch
// fetches, keeps the states as notes in a store, and tells the events. An event is in the same note as the state from
// which it was made. So a process that is killed neither loses an event nor makes it twice. After a restart it may tell
// an event again that it told just before; this event then has the same ID.
package watch
