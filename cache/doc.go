// Package cache answers whether a crawler may fetch a URL now: it remembers the
// robots.txt of every origin, asks again when that is due, and knows what to
// answer while an origin is unreachable.
//
// Check answers about one URL, and Peek from what is remembered alone. Site is the origin
// itself as it stands: many questions about it, explanations in every dialect, sitemaps
// and other records. Who asks is always said, by product tokens or as "*".
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
//	the last retrieval a failure of our own
//	  LastGoodAtOnce, and the last answer a
//	  robots.txt                                  its rules, stale          after 5 seconds or a back-off
//	  otherwise                                   disallowed                after 5 seconds or a back-off
//	nothing                                       what comes of asking      at once
//	an answer past its time, no failure           what comes of asking      at once
//	failures, and the last answer a robots.txt
//	  LastGoodAtOnce                              its rules, stale          after a back-off
//	  not yet for a long time                     disallowed                after a back-off
//	  for a long time                             its rules, stale          after a back-off
//	  for a long time, LastGoodNever              allowed, stale            after a back-off
//	failures, and any other last answer, or none
//	  not yet for a long time                     disallowed                after a back-off
//	  for a long time                             allowed, stale            after a back-off
//
// A failure before the end of an answer's time does not end it; at its end the
// site counts as unreachable until the back-off is over.
//
// # Failures for a long time
//
// A site has failed for a long time (R-16, G-5, R-22) when all of this holds:
//
//   - the first failure since the last answer was RelaxAfter ago, or earlier;
//   - there were at least five failures;
//   - the time between a failure and the next one, or between the last one and now,
//     is never longer than a quarter of RelaxAfter. With 30 days that is seven and a
//     half days: for a site that is asked once a week this can hold, for one that is
//     asked once a month it cannot.
//
// Failures of all who share a store count. After a longer gap the count begins again
// with the next failure. It also begins again where a clock was set back, so that a
// failure is more than 5 minutes earlier than the one before it; less may be the
// difference of two clocks.
//
// With RelaxAfter less than 0 this never holds. With less than four hours it may never
// hold, since the back-off is up to an hour; with less than four days it may never hold
// for a server whose Retry-After is a day.
//
// # Our own failures
//
// Some failures say nothing about the site: no file handles, no memory, no route, no
// resolver, an address that is not public, a port that browsers refuse, a host that is
// busy with our other retrievals (see fetch.FailureKind.Ours). Such a failure is neither
// stored nor shared, and counts neither as a failure of the site nor for its back-off.
// This process does not ask that site again for 5 seconds, or for the time of a back-off
// where an address or a port is refused; then it continues with what it knew before.
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
// is written, this Cache answers from it, and others that share the store do not know
// it. Where the store is a Leaser, they do not ask the origin meanwhile: its lease is
// held until the record is written.
//
// The records that wait take at most a quarter of MemoryBytes. Where one more does not
// fit, it replaces the last one of its own origin that waits, which is then missing in
// the history; where none waits, it is lost. What is not written when Close gives up is
// lost too. Events.StoreFailed is told of each record that is lost.
//
// Where another process holds the lease of an origin, a Cache waits for half a minute,
// about as long as a retrieval takes, and then asks the origin without a lease.
//
// Caches of different dialects can share a store. Where they differ about what was an
// answer, each counts failures from when it could see them. Where they differ in
// RelaxAfter, a gap that is too long for one of them can begin the count again for
// all. Both may disallow for longer, and never allow earlier.
//
// The protocol is no access control: nothing here says who may see what.
package cache
