// Package cache answers whether a crawler may fetch a URL now. It caches the robots.txt of
// each origin, retrieves it again when it is no longer fresh, and knows the answer while an
// origin is unreachable.
//
// Check answers about one URL. Peek does so from what is cached, without a retrieval. Site
// returns an origin in its present state, for many questions, explanations in every dialect,
// sitemaps and other records. Each question names the crawler, by its product tokens or as
// "*".
//
// # The state of an origin
//
// Three facts about an origin are cached: the last answer, the last robots.txt, and the
// failures since the last answer. The answer to a question follows from these facts and the
// time, by the first row that applies:
//
//	what is cached                                the question is answered     next retrieval
//	------------------------------------------    -------------------------    ------------------------------
//	a fresh answer: a robots.txt                  by its rules                 when it is no longer fresh
//	  no robots.txt (unavailable)                 allowed                      when it is no longer fresh
//	    the 2019 draft with CopyIfGone, and a
//	    robots.txt less than 24 h old             by that robots.txt, stale    when it is no longer fresh
//	  restricted (1994, 1996)                     disallowed                   when it is no longer fresh
//	the last retrieval was a failure of our own
//	  LastGoodAtOnce, and the last answer was a
//	  robots.txt                                  by its rules, stale          after 5 seconds or a back-off
//	  otherwise                                   disallowed                   after 5 seconds or a back-off
//	nothing                                       after a retrieval            now
//	a stale answer, no failure                    after a retrieval            now
//	failures, and the last answer a robots.txt
//	  LastGoodAtOnce                              by its rules, stale          after a back-off
//	  not for a long time                         disallowed                   after a back-off
//	  for a long time                             by its rules, stale          after a back-off
//	  for a long time, LastGoodNever              allowed, stale               after a back-off
//	failures, and another last answer, or none
//	  not for a long time                         disallowed                   after a back-off
//	  for a long time                             allowed, stale               after a back-off
//
// A failure does not shorten the time for which an answer is fresh. When that time ends, the
// origin is unreachable until the back-off is over.
//
// # Failures for a long time
//
// An origin has failed for a long time (R-16, G-5, R-22) when all of these are true:
//
//   - the first failure since the last answer was RelaxAfter ago, or earlier;
//   - there were at least five failures;
//   - the time from one failure to the next, and from the last one to now, is never longer
//     than a quarter of RelaxAfter. With 30 days that is seven and a half days: an origin
//     that is retrieved once a week can reach this, one that is retrieved once a month
//     cannot.
//
// The failures of all processes that share a store count. After a longer time without a
// retrieval the count begins again with the next failure. It also begins again where a clock
// was set back, so that a failure is more than 5 minutes earlier than the one before it; less
// may be the difference of two clocks.
//
// With RelaxAfter less than 0 no time is long. With RelaxAfter less than four hours a time
// may never be long, since the back-off is up to an hour; with less than four days this may
// happen with a server whose Retry-After is a day.
//
// # Our own failures
//
// Some failures say nothing about the origin: no file handles, no memory, no route, no
// resolver, an address that is not public, a port that browsers refuse, a host that is busy
// with our other retrievals (see fetch.FailureKind.Ours). Such a failure is neither stored
// nor shared, and does not count as a failure of the origin. This process does not retrieve
// from that origin for 5 seconds, or for a back-off if an address or a port was refused. Then
// it goes on with what was cached before.
//
// # How long an answer is fresh
//
// Cache-Control and Expires say how long an answer is fresh; where the server sends neither,
// the dialect does. The Age of the answer is subtracted (R-18, S96-7, G-8). The result is at
// least MinFresh, and at most what the dialect allows:
//
//	dialect          at most    without headers    retrieved again
//	-------------    -------    ---------------    ------------------------
//	Standard1994     24 h       24 h               conditionally
//	Draft1996        7 days     7 days             conditionally
//	Draft2019        24 h       24 h               conditionally
//	RFC9309          24 h       24 h               conditionally
//	Google           7 days     24 h               unconditionally (G-1)
//
// A question in the last tenth of that time starts a retrieval in the background. Without a
// question, the answer becomes stale.
//
// The back-off after a failure is one minute; each further failure doubles it, up to one hour.
// After status 503 it is half a minute, up to 15 minutes. A random part of it, up to a
// quarter, is left out. Retry-After is used instead where the server sends it, from 30 seconds
// to 24 hours.
//
// # Stores
//
// A Cache answers from memory, which is bounded in bytes, compiled policies included. A Store
// keeps records for other and for later processes. The Cache reads it before it retrieves:
// at the first question about an origin, and at each question that needs a retrieval.
//
// No answer waits until its record is written. Records are written in the background, those
// of one origin in order, several origins at a time. Before a record is written, this Cache
// answers from it; other processes that share the store do not know it. If the store is a
// Leaser, they do not retrieve meanwhile, since the lease is held until the record is
// written.
//
// The records that wait take at most a quarter of MemoryBytes. A record that does not fit
// replaces the last waiting record of its origin, which is then missing in the history; if
// there is none, the record is lost. Records that are not written when Close gives up are lost
// too. Events.StoreFailed is called for each record that is lost.
//
// If another process holds the lease of an origin, a Cache waits for half a minute, which is
// about as long as a retrieval takes. Then it retrieves without a lease.
//
// Caches with different dialects can share a store. If a retrieval is an answer for one and a
// failure for another, each counts the failures that it could see. If their RelaxAfter differ,
// a time without retrievals that is too long for one of them may begin the count again for
// all. Both can only disallow for longer, and never allow earlier.
//
// The protocol is no access control: nothing here says who may see what.
package cache
