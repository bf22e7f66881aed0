// Package watch fetches the robots.txt of many sites again when their copies are no longer fresh, and reports what
// changes and for whom. It does not report a change if package compare proves that no verdict and no preference changes.
// A report is an event. The function Watch.Tell sends an event to the user.
//
// A look at a site finds out what its robots.txt is now, from the site or from the cache. state.after decides which
// events there are, from the state of a site and the result of a look. It reads no clock, and fetches nothing. Watch
// fetches, keeps the states as notes in a store, and sends the events. After a look, one note keeps the new state
// and the events that are not sent yet. So a process that is killed neither loses an event nor makes it twice. After a restart, it may send
// an event again that was sent just before the restart. This event then has the same ID as before.
package watch
