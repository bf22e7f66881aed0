// Package watch fetches the robots.txt of many sites regularly, and reports the changes as events. It ignores a change if
// package compare proves that no verdict and no preference changes.
//
// To look at a site is to find out its current robots.txt. state.nextState makes the events after a look, without clock or
// network. A site's state and unsent events are one note in a store. So a killed process loses no event. After a restart,
// an event may be sent twice, with the same ID.
package watch
