// Package cache answers whether a crawler may fetch a URL now: it remembers the
// robots.txt of every origin, asks again when that is due, and knows what to
// answer while an origin is unreachable.
//
// # How an origin stands
//
// Of each origin, the last answer, the last robots.txt and the failures since
// are remembered. What is answered follows from them and the time alone, by the
// first row that holds:
//
//	what is remembered                            answers rest on           asked again
//	------------------------------------------    ----------------------    ----------------------------
//	an answer within its time: a robots.txt       its rules                 at the end of its time
//	  no robots.txt (unavailable)                 allowed                   at the end of its time
//	    the 2019 draft, CopyIfGone set, and a
//	    robots.txt seen less than 24 h ago        that one's rules, stale   at the end of its time
//	  restricted (1994, 1996)                     disallowed                at the end of its time
//	a failure of our own when it was due
//	  LastGoodAtOnce, and the last answer a
//	  robots.txt                                  its rules, stale          after some seconds
//	  otherwise                                   disallowed                after some seconds
//	nothing                                       what comes of asking      at once
//	an answer past its time, no failure           what comes of asking      at once
//	failures, and the last answer a robots.txt
//	  LastGoodAtOnce                              its rules, stale          after a back-off
//	  not for long                                disallowed                after a back-off
//	  for long                                    its rules, stale          after a back-off
//	  for long, LastGoodNever                     allowed, stale            after a back-off
//	failures, and any other last answer, or none
//	  not for long                                disallowed                after a back-off
//	  for long                                    allowed, stale            after a back-off
//
// A failure before the end of an answer's time does not end it; at its end the
// site counts as unreachable until the back-off is over.
//
// # For long
//
// A site that fails has done so for long (R-16, G-5, R-22) when all of this holds:
//
//   - the first failure since the last answer is RelaxAfter ago, or more;
//   - there were at least five;
//   - no two of them, nor the last and now, are further apart than a quarter of
//     RelaxAfter. With 30 days that is seven and a half: a site that is asked once a
//     week can have failed for long, one that is asked once a month cannot.
//
// Failures count whoever asked. A failure that comes after a longer gap is the first
// again, and so is one before the failure before it, by a clock that was set back; up
// to 5 minutes are the difference of two clocks. RelaxAfter less than 0 is never over,
// and one of less than four hours may never be, since the back-off is up to an hour,
// as may one of less than four days for a server whose Retry-After says a day.
//
// # Our own failures
//
// What says nothing about the site is no failure of the site: no file handles, no
// memory, no route, no resolver, an address that is not public, a host that is busy
// with our other retrievals (see fetch.FailureKind.Ours). It is neither stored nor
// shared, never relaxes, and does not count for the back-off. This process does not
// ask that site again for 5 seconds, where an address or a port is refused for the
// time of a back-off; then it goes on from what it knew before.
//
// # Time
//
// The time of an answer is what the server says by Cache-Control and Expires or,
// where it says nothing, that of the dialect, less its Age (R-18, S96-7, G-8), but
// at least MinFresh and at most what the dialect allows:
//
//	dialect          at most    server says nothing    asked again
//	-------------    -------    -------------------    ------------------------
//	Standard1994     24 h       24 h                   conditionally
//	Draft1996        7 days     7 days                 conditionally
//	Draft2019        24 h       24 h                   conditionally
//	RFC9309          24 h       24 h                   conditionally
//	Google           7 days     24 h                   unconditionally (G-1)
//
// An origin that is asked about in the last tenth of that time is asked again in
// the background; others lapse.
//
// The back-off after a failure is a minute, doubled by each further failure up
// to an hour; after status 503 half a minute up to 15 minutes. Up to a quarter
// of it is left out by chance. Retry-After goes before, from 30 seconds to 24
// hours.
//
// # Stores
//
// A Cache has everything it answers from in memory, bounded in bytes, compiled
// policies too. A Store keeps records beyond it, for later processes and for
// others: the first question about an origin, and each one that finds it due,
// looks there before the origin is asked.
//
// No answer waits for the write of its own record: records are written behind the
// answers, those of one origin in order, several origins at a time. Until a record
// is written, this Cache knows it, and others that share the store do not, unless
// the store is a Leaser, whose lease is held for so long. What waits is bounded by a
// quarter of MemoryBytes. Beyond that, a record takes the place of one of its own
// origin that waits, so that the history lacks that one, or is lost; Close waits
// only as long as the store gets on. Events.StoreFailed is told of each record that
// is lost.
// Whoever waits for another process to ask an origin, by a Leaser, asks it himself
// after half a minute, about as long as a retrieval takes.
//
// Caches of different dialects can share
// one: where they differ about what was an answer, failures count from when each
// could see them, and where they differ in RelaxAfter, a gap that is too long for one
// of them counts for it; both err towards disallowing.
//
// The protocol is no access control: nothing here says who may see what.
package cache
