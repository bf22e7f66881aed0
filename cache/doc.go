// Package cache answers whether a crawler may fetch a URL now. It caches the robots.txt of each origin, and fetches it again
// when it is no longer fresh. While an origin is unreachable, the answer comes from what is cached.
//
//	var c cache.Cache
//	defer c.Close()
//	answer, err := c.Check(ctx, []string{"ExampleBot"}, "https://www.example.com/cart")
//
// Cache.Check answers about one URL. Cache.Site returns the present state of an origin, for many questions, explanations in
// every dialect, sitemaps and other records. Cache.PeekSite does the same without a retrieval: it uses what is cached. Each
// question names the crawler, by its product tokens or as "*".
//
// # The state of an origin
//
// Three facts about an origin are cached: the last answer (a robots.txt, or that there is none), the last robots.txt, and the
// failures since the last answer. These facts and the time decide how a question is answered. The first row that applies is
// used:
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
// After a failure, the last answer stays fresh as long as before. If it becomes stale before the back-off is over, the origin
// is unreachable until the back-off is over.
//
// # Failures for a long time
//
// An origin has failed for a long time (R-16, G-5, R-22) when all of these are true:
//
//   - the first failure since the last answer was RelaxAfter ago, or earlier;
//   - there were at least five failures;
//   - the time from one failure to the next, and from the last one to now, is never longer than a quarter of RelaxAfter. With
//     30 days that is seven and a half days: one retrieval a week is enough, one a month is not.
//
// The failures of all processes that share a store are counted together. After a gap of more than a quarter of RelaxAfter, the
// count begins again with the next failure. It also begins again if a failure is more than 5 minutes earlier than the one
// before it, because a clock was set back. Two clocks may differ by less.
//
// If RelaxAfter is negative, no origin has failed for a long time. A RelaxAfter of less than four hours may have no effect,
// because the back-off is up to one hour, which may be more than a quarter of RelaxAfter. If a server sends a Retry-After of
// one day, the same is true for a RelaxAfter of less than four days.
//
// # Our own failures
//
// Some failures say nothing about the origin (see fetch.FailureKind.Ours). Examples are missing file handles, memory, routes
// or resolvers, an address that is not public, a port that browsers refuse, and a host that is busy with our other retrievals.
// Such a failure is neither stored nor shared, and does not count as a failure of the origin: the cached record stays as it
// is. After it, this process makes no retrieval from that origin for 5 seconds, or for a back-off if an address or a port was
// refused.
//
// # How long an answer is fresh
//
// Cache-Control and Expires define how long an answer is fresh. If the server sends neither, the dialect defines it. The Age
// of the answer is subtracted (R-18, S96-7, G-8). The result is at least MinFresh, and at most the limit of the dialect:
//
//	dialect          limit      without headers    next request
//	-------------    -------    ---------------    -------------------
//	Standard1994     24 h       24 h               conditional
//	Draft1996        7 days     7 days             conditional
//	Draft2019        24 h       24 h               conditional
//	RFC9309          24 h       24 h               conditional
//	Google           7 days     24 h               unconditional (G-1)
//
// A question in the last tenth of the time for which an answer is fresh starts a retrieval in the background. Without a
// question, the answer becomes stale.
//
// The back-off is the time from a failure to the next retrieval. It is one minute after the first failure, and doubles with
// each further failure, up to one hour. After status 503 it begins with half a minute, and is at most 15 minutes. A random
// part of it, up to a quarter, is subtracted. If the server sends Retry-After, that time is the back-off, but at least 30
// seconds and at most 24 hours.
//
// # Stores
//
// A Cache answers from memory, which is limited in bytes, compiled policies included. A Store keeps records for other and for
// later processes. The Cache reads the Store before it fetches: at the first question about an origin, and at each question
// that needs a retrieval.
//
// Records are written in the background, and no answer waits for this. The records of one origin are written one after the
// other, the records of several origins at the same time. This Cache uses a record before it is written; other processes that
// share the Store cannot. If the Store is a Leaser, they make no retrieval meanwhile, because this Cache holds the lease until
// the record is written.
//
// The records that wait to be written take at most a quarter of MemoryBytes. A record that does not fit replaces the last
// waiting record of its origin, which is then missing in the history. If no record of the origin waits, the new record is
// lost. Records that are not written when Close gives up are lost too. Events.StoreFailed is called for each lost record.
//
// If another process holds the lease of an origin, a Cache waits for about half a minute, the longest time that a retrieval
// usually takes. Then it fetches without a lease.
//
// Caches with different dialects can share a Store, although a retrieval may be an answer for one Cache and a failure for
// another. Each Cache counts only the failures that it could see. If the RelaxAfter of two Caches differ, a gap that is too
// long for one of them may begin the count again for all. So a Cache may disallow for longer than without the other Caches,
// but never allows earlier.
//
// The protocol is not access control: an answer says what a crawler may fetch, not who may see a page.
package cache
