// Package watch fetches the robots.txt of many sites again when their copies are no longer fresh, and reports what
// changes and for whom. It does not report a change if package compare proves that no verdict and no preference
// changes. A report is an event. The function Watch.Tell sends an event to the user.
//
// To look at a site means to find out what its robots.txt is now, from the site or from the cache. The method
// state.after decides which events there are after a look; it reads no clock, and fetches nothing. Watch fetches,
// keeps the states as notes in a store, and sends the events. One note keeps a state and the events that are not sent
// yet. So a process that is killed loses no event. After a restart, an event may be sent a second time, with the same
// ID.
package watch
