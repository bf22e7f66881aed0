// Package cache answers whether a crawler may fetch a URL now. It caches the robots.txt of each origin. While an origin is
// unreachable, the answer comes from what is cached.
//
//	var c cache.Cache
//	defer c.Close()
//	answer, err := c.Check(ctx, []string{"ExampleBot"}, "https://www.example.com/cart")
//
// Cache.Check answers about one URL. Cache.Site returns the present state of an origin, for many questions. Cache.PeekSite
// does the same without a retrieval.
//
// # The state of an origin
//
// Three facts about an origin are cached: the last answer, the last robots.txt, and the failures since the last answer.
// An answer is a robots.txt, or that there is none. The first row that applies is used:
//
//	what is cached                                the question is answered     next retrieval
//	--------------------------------------------  ---------------------------  ----------------------------
//	a fresh answer: a robots.txt                  by its rules                 when it is no longer fresh
//	a fresh answer: no robots.txt, but there was
//	  one before it, less than 24 h ago, and
//	  CopyIfGone is true (Draft2019 only)         by that robots.txt, stale    when it is no longer fresh
//	a fresh answer: no robots.txt                 allowed                      when it is no longer fresh
//	a fresh answer: restricted (401 or 403 in
//	  the documents of 1994 and 1996)             disallowed                   when it is no longer fresh
//	a failure of our own; the last answer is a
//	  robots.txt, and LastGoodAtOnce              by its rules, stale          after 5 seconds or a back-off
//	a failure of our own                          disallowed                   after 5 seconds or a back-off
//	nothing                                       after a retrieval            now
//	a stale answer, and no failure                after a retrieval            now
//	failures; the last answer is a robots.txt:
//	  LastGoodAtOnce                              by its rules, stale          after a back-off
//	  not for a long time                         disallowed                   after a back-off
//	  for a long time, LastGoodNever              allowed, stale               after a back-off
//	  for a long time                             by its rules, stale          after a back-off
//	failures; no answer, or not a robots.txt:
//	  not for a long time                         disallowed                   after a back-off
//	  for a long time                             allowed, stale               after a back-off
//
// After a failure, the last answer stays fresh as long as before. If it becomes stale during the back-off, the origin is
// unreachable until the back-off is over.
//
// # Failures for a long time
//
// An origin has failed for a long time (R-16, G-5, R-22) when all of these are true:
//
//   - the first failure since the last answer was RelaxAfter ago, or earlier;
//   - there were at least five failures;
//   - no gap between two failures, or from the last one to now, is longer than a quarter of RelaxAfter.
//     With 30 days, one retrieval a week is enough, one a month is not.
//
// The failures of all processes that share a store are counted together. The count begins again after a gap of more than a
// quarter of RelaxAfter. It also begins again if a clock was set back by more than 5 minutes.
//
// If RelaxAfter is negative, no origin has failed for a long time. A RelaxAfter of less than four hours may have no effect,
// because the back-off is up to one hour. With a Retry-After of one day, the same is true for less than four days.
//
// # Our own failures
//
// Some failures say nothing about the origin (see fetch.FailureKind.Ours). Examples are missing file handles, memory,
// routes or resolvers, and an address or port that is refused.
//
// Such a failure is not stored and not shared. The cached record stays as it is. After such a failure, this process
// waits for 5 seconds. If an address or a port was refused, the process waits for a back-off.
//
// # How long an answer is fresh
//
// Cache-Control and Expires define how long an answer is fresh. Without these headers, the dialect defines it. The Age
// of the answer is subtracted (R-18, S96-7, G-8). The result is at least MinFresh, and at most the limit of the
// dialect:
//
//	dialect          limit      without headers    next request
//	-------------    -------    ---------------    -------------------
//	Standard1994     24 h       24 h               conditional
//	Draft1996        7 days     7 days             conditional
//	Draft2019        24 h       24 h               conditional
//	RFC9309          24 h       24 h               conditional
//	Google           7 days     24 h               unconditional (G-1)
//
// A question in the last tenth of this time starts a retrieval in the background. Without a question, the answer becomes
// stale.
//
// The back-off is the time from a failure to the next retrieval. It is one minute at first, and doubles with each further
// failure, up to one hour. After status 503 it begins with half a minute, and is at most 15 minutes.
//
// A random part of the back-off, up to a quarter, is subtracted. A Retry-After replaces the whole back-off. A
// Retry-After below 30 seconds counts as 30 seconds. A Retry-After above 24 hours counts as 24 hours.
//
// # Stores
//
// A Cache answers from memory, which is limited in bytes. A Store keeps records for other and for later processes. The
// Cache reads the Store at the first question about an origin, and before each retrieval.
//
// Records are written in the background, and no answer waits for this. The records of one origin are written one after
// the other. If the Store is a Leaser, this Cache holds the lease until the record is written. Until then, other
// processes make no retrieval.
//
// The records that wait to be written take at most a quarter of MemoryBytes. A record that does not fit replaces the last
// waiting record of its origin, or is lost. Events.StoreFailed is called for each lost record.
//
// If another process holds the lease of an origin, a Cache waits for about half a minute. Then it fetches without a lease.
//
// Caches with different dialects can share a Store. The same status may be a failure for one Cache, and an answer for
// another. So a Cache may disallow for longer than without the other Caches. It never allows earlier.
//
// The protocol is not access control. An answer says what a crawler may fetch. It does not say who may see a page.
package cache
