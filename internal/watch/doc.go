// Package watch fetches the robots.txt of many sites regularly, and reports changes as events. It ignores a change if
// package compare proves that no verdict and no preference changes.
//
// To look at a site is to find out its current robots.txt. state.nextState makes the events after a look, without clock or
// network. The state of a site is stored together with its unsent events, so a killed process loses no event. After a
// restart, an event may be sent twice, with the same ID.
package watch
