package cache_test

import (
	"testing"
	"time"

	"github.com/heed-robots/heed/cache"
)

// These tests follow the rows with failures in the table "The state of an origin" in the package
// documentation, and test the back-off.

// G-5, G-7, S96-1: from the first failure to 30 days and back.
func TestUnreachable(t *testing.T) {
	runTimelines(t, []timeline{
		{
			name: "R-15, R-16, G-5, G-8, S96-1: a fresh copy, then disallowed, the stale copy after 30 days, recovery",
			table: `
			at        | server                           | call     | answer             | retrieval                               | age      | next   | requests
			0         | 200; Cache-Control: max-age=3600 | /private | denied rule        | rules 200                               | 0        | 1h     | 1
			30m       | 500                              | /        | allowed no-rule-matched | rules 200                          | 30m      | 30m    | 1
			1h        |                                  | /        | denied unreachable | unreachable 500, failing 0s             | 0        | ~1m    | 2
			1h44s     |                                  | /        | denied unreachable | unreachable 500, failing 44s            | 44s      | ~1m    | 2
			1h1m      |                                  | /        | denied unreachable | unreachable 500, failing 1m0s           | 0        | ~2m    | 3
			1h2m29s   |                                  | /        | denied unreachable | unreachable 500, failing 2m29s          | 1m29s    | ~2m    | 3
			1h3m      |                                  | /        | denied unreachable | unreachable 500, failing 3m0s           | 0        | ~4m    | 4
			1h7m      |                                  | /        | denied unreachable | unreachable 500, failing 7m0s           | 0        | ~8m    | 5
			1h15m     |                                  | /        | denied unreachable | unreachable 500, failing 15m0s          | 0        | ~16m   | 6
			1h31m     |                                  | /        | denied unreachable | unreachable 500, failing 31m0s          | 0        | ~32m   | 7
			2h3m      |                                  | /        | denied unreachable | unreachable 500, failing 1h3m0s         | 0        | ~1h    | 8
			3h3m      |                                  | /        | denied unreachable | unreachable 500, failing 2h3m0s         | 0        | ~1h    | 9
			3h40m     |                                  | /        | denied unreachable | unreachable 500, failing 2h40m0s        | 37m      | ~1h    | 9
			4h3m      | down                             | /        | denied unreachable | unreachable error, failing 3h3m0s       | 0        | ~1h    | 10
			20d every 6d    |                            | /        | denied unreachable | unreachable error, failing 19d23h0m0s   | 0        | ~1h    | 14
			30d30m every 7d |                            | /        | denied unreachable | unreachable error, failing 29d23h30m0s  | 0        | ~1h    | 16
			30d59m59s |                                  | /        | denied unreachable | unreachable error, failing 29d23h59m59s | 29m59s   | ~1h    | 16
			30d1h     |                                  | /        | allowed no-rule-matched | rules 200 stale, failing 30d0s     | 30d1h    | ~1h    | 16
			30d1h     |                                  | /private | denied rule        | rules 200 stale, failing 30d0s          | 30d1h    | ~1h    | 16
			30d2h     |                                  | /private | denied rule        | rules 200 stale, failing 30d1h0m0s      | 30d2h    | ~1h    | 17
			400d every 7d |                              | /private | denied rule        | rules 200 stale, failing 399d23h0m0s    | 400d     | ~1h    | 70
			401d      | 200 other; Cache-Control: max-age=3600 | /other | denied rule    | rules 200                               | 0        | 1h     | 71
			401d30m   |                                  | /private | allowed no-rule-matched | rules 200                          | 30m      | 30m    | 71
			402d      | 500                              | /        | denied unreachable | unreachable 500, failing 0s             | 0        | ~1m    | 72`,
		},
		{
			name: "G-5: after 503 the back-off is shorter, at most 15 minutes",
			table: `
			at     | server                           | call  | answer             | retrieval                       | age | next  | requests
			0      | 503                              | /     | denied unreachable | unreachable 503, failing 0s     | 0   | ~30s  | 1
			22s    |                                  | /     | denied unreachable | unreachable 503, failing 22s    | 22s | ~30s  | 1
			30s    |                                  | /     | denied unreachable | unreachable 503, failing 30s    | 0   | ~1m   | 2
			90s    |                                  | /     | denied unreachable | unreachable 503, failing 1m30s  | 0   | ~2m   | 3
			4m     |                                  | /     | denied unreachable | unreachable 503, failing 4m0s   | 0   | ~4m   | 4
			8m     |                                  | /     | denied unreachable | unreachable 503, failing 8m0s   | 0   | ~8m   | 5
			16m    |                                  | /     | denied unreachable | unreachable 503, failing 16m0s  | 0   | ~15m  | 6
			31m    |                                  | /     | denied unreachable | unreachable 503, failing 31m0s  | 0   | ~15m  | 7
			46m    | 500                              | /     | denied unreachable | unreachable 500, failing 46m0s  | 0   | ~1h   | 8
			2h     | 404                              | /     | allowed unavailable| unavailable 404                 | 0   | 24h [draft1996 7d] | 9`,
		},
		{
			name: "R-16, G-5: a site that never answered is allowed after 30 days",
			table: `
			at        | server | call     | answer              | retrieval                                   | age | next               | requests
			0         | down   | /private | denied unreachable  | unreachable error, failing 0s               | 0   | ~1m                | 1
			29d every 7d |     | /private | denied unreachable  | unreachable error, failing 29d0s            | 0   | ~32m               | 6
			29d23h59m |        | /private | denied unreachable  | unreachable error, failing 29d23h59m0s      | 0   | ~1h                | 7
			30d       |        | /private | allowed unavailable | unavailable error stale, failing 30d0s      | 1m  | ~1h                | 7
			31d       | 429    | /private | allowed unavailable | unavailable 429 stale, failing 31d0s        | 0   | ~1h                | 8
			32d       | 200    | /private | denied rule         | rules 200                                   | 0   | 24h [draft1996 7d] | 9`,
		},
		{
			name: "R-14, R-16: a robots.txt, none, then failures: the robots.txt is not used again",
			table: `
			at     | server                           | call     | answer              | retrieval                            | age | next  | requests
			0      | 200; Cache-Control: max-age=3600 | /private | denied rule         | rules 200                            | 0   | 1h    | 1
			1h     | 404; Cache-Control: max-age=3600 | /private | allowed unavailable | unavailable 404                      | 0   | 1h    | 2
			2h     | 500                              | /private | denied unreachable  | unreachable 500, failing 0s          | 0   | ~1m   | 3
			30d every 7d |                            | /private | denied unreachable  | unreachable 500, failing 29d22h0m0s  | 0   | ~32m  | 8
			30d2h  |                                  | /private | allowed unavailable | unavailable 500 stale, failing 30d0s | 0   | ~1h   | 9
			31d    |                                  | /private | allowed unavailable | unavailable 500 stale, failing 30d22h0m0s | 0 | ~1h | 10`,
		},
		{
			name: "S96-1, R-14, R-16: a robots.txt, restricted, then failures: the robots.txt is not used again",
			table: `
			at     | server                           | call     | answer              | retrieval                            | next  | requests
			0      | 200; Cache-Control: max-age=3600 | /private | denied rule         | rules 200                            | 1h    | 1
			1h     | 403; Cache-Control: max-age=3600 | /private | allowed unavailable [standard1994,draft1996 denied restricted] | unavailable 403 [standard1994,draft1996 restricted 403] | 1h | 2
			2h     | 500                              | /private | denied unreachable  | unreachable 500, failing 0s          | ~1m   | 3
			30d2h every 7d |                          | /private | allowed unavailable | unavailable 500 stale, failing 30d0s | ~32m  | 8`,
		},
		{
			name: "R-14, R-16: no robots.txt, failures, a robots.txt, failures: the robots.txt is used after 30 days",
			table: `
			at     | server                           | call     | answer              | retrieval                            | next  | requests
			0      | 404; Cache-Control: max-age=3600 | /private | allowed unavailable | unavailable 404                      | 1h    | 1
			1h     | 500                              | /private | denied unreachable  | unreachable 500, failing 0s          | ~1m   | 2
			2h     | 200; Cache-Control: max-age=3600 | /private | denied rule         | rules 200                            | 1h    | 3
			3h     | 500                              | /private | denied unreachable  | unreachable 500, failing 0s          | ~1m   | 4
			30d3h every 7d |                          | /private | denied rule         | rules 200 stale, failing 30d0s       | ~32m  | 9`,
		},
		{
			name: "R-6: /robots.txt itself while the site is unreachable, and after 30 days",
			table: `
			at  | server | call        | answer                                                           | requests
			0   | down   | /robots.txt | denied unreachable [draft2019,rfc9309 allowed robots-txt-itself] | 1
			30d every 7d | | /robots.txt | allowed unavailable                                           | 6`,
		},
	})
}

// G-5, G-8: LastGood and RelaxAfter, the settings for unreachable sites.
func TestLastGood(t *testing.T) {
	set := func(g cache.LastGood, after time.Duration) func(*cache.Cache) {
		return func(c *cache.Cache) { c.LastGood, c.RelaxAfter = g, after }
	}
	runTimelines(t, []timeline{
		{
			name:     "R-18, G-8: LastGoodAtOnce: the copy is used from the first failure on",
			settings: set(cache.LastGoodAtOnce, 0),
			table: `
			at     | server                           | call     | answer                  | retrieval                         | age   | next  | requests
			0      | 200; Cache-Control: max-age=3600 | /private | denied rule             | rules 200                         | 0     | 1h    | 1
			1h     | 500                              | /        | allowed no-rule-matched | rules 200 stale, failing 0s       | 1h    | ~1m   | 2
			1h30s  |                                  | /private | denied rule             | rules 200 stale, failing 30s      | 1h30s | ~1m   | 2
			1h1m   |                                  | /private | denied rule             | rules 200 stale, failing 1m0s     | 1h1m  | ~2m   | 3
			30d1h every 7d | down                     | /private | denied rule             | rules 200 stale, failing 30d0s    | 30d1h | ~1h   | 8
			31d    | 404                              | /private | allowed unavailable     | unavailable 404                   | 0     | 24h [draft1996 7d] | 9
			38d    | 500                              | /private | denied unreachable      | unreachable 500, failing 0s       | 0     | ~1m   | 10
			39d    | 200; Cache-Control: max-age=3600 | /private | denied rule             | rules 200                         | 0     | 1h    | 11`,
		},
		{
			name:     "R-15, R-16: LastGoodAtOnce without a copy: disallowed, and allowed after 30 days",
			settings: set(cache.LastGoodAtOnce, 30*day),
			table: `
			at  | server | call  | answer              | retrieval                              | next  | requests
			0   | 500    | /     | denied unreachable  | unreachable 500, failing 0s            | ~1m   | 1
			30d every 7d | | /  | allowed unavailable | unavailable 500 stale, failing 30d0s   | ~32m  | 6`,
		},
		{
			name:     "R-16: LastGoodNever: allowed after 30 days, as if there were no robots.txt",
			settings: set(cache.LastGoodNever, 30*day),
			table: `
			at     | server                           | call     | answer              | retrieval                            | next  | requests
			0      | 200; Cache-Control: max-age=3600 | /private | denied rule         | rules 200                            | 1h    | 1
			1h     | 500                              | /private | denied unreachable  | unreachable 500, failing 0s          | ~1m   | 2
			30d every 7d |                            | /private | denied unreachable  | unreachable 500, failing 29d23h0m0s  | ~32m  | 7
			30d1h  |                                  | /private | allowed unavailable | unavailable 500 stale, failing 30d0s | ~1h   | 8`,
		},
		{
			name:     "R-16: a negative RelaxAfter: disallowed for ever, with a copy",
			settings: set(cache.LastGoodAfterLong, -1),
			table: `
			at     | server                           | call     | answer              | retrieval                              | next  | requests
			0      | 200; Cache-Control: max-age=3600 | /private | denied rule         | rules 200                              | 1h    | 1
			1h     | 500                              | /        | denied unreachable  | unreachable 500, failing 0s            | ~1m   | 2
			30d1h  |                                  | /        | denied unreachable  | unreachable 500, failing 30d0s         | ~2m   | 3
			3000d  |                                  | /        | denied unreachable  | unreachable 500, failing 2999d23h0m0s  | ~4m   | 4`,
		},
		{
			name:     "R-16: a negative RelaxAfter: disallowed for ever, without a copy",
			settings: set(cache.LastGoodNever, -1),
			table: `
			at     | server | call     | answer              | retrieval                            | next  | requests
			0      | 500    | /private | denied unreachable  | unreachable 500, failing 0s          | ~1m   | 1
			3000d  |        | /private | denied unreachable  | unreachable 500, failing 3000d0s     | ~2m   | 2`,
		},
		{
			name:     "R-18: a negative RelaxAfter has no effect on LastGoodAtOnce with a copy",
			settings: set(cache.LastGoodAtOnce, -1),
			table: `
			at     | server                           | call     | answer              | retrieval                              | next  | requests
			0      | 200; Cache-Control: max-age=3600 | /private | denied rule         | rules 200                              | 1h    | 1
			1h     | 500                              | /private | denied rule         | rules 200 stale, failing 0s            | ~1m   | 2
			3000d  |                                  | /private | denied rule         | rules 200 stale, failing 2999d23h0m0s  | ~2m   | 3`,
		},
		{
			name:     "R-16: RelaxAfter of 48 hours",
			settings: set(cache.LastGoodAfterLong, 48*time.Hour),
			table: `
			at        | server                           | call     | answer             | retrieval                             | next  | requests
			0         | 200; Cache-Control: max-age=3600 | /private | denied rule        | rules 200                             | 1h    | 1
			1h        | 500                              | /        | denied unreachable | unreachable 500, failing 0s           | ~1m   | 2
			2d59m every 12h |                            | /        | denied unreachable | unreachable 500, failing 1d23h59m0s   | ~16m  | 6
			2d1h      |                                  | /        | allowed no-rule-matched | rules 200 stale, failing 2d0s    | ~16m  | 6`,
		},
	})
}

// G-5: when an origin has failed "for a long time": see the package documentation.
func TestFailuresForALongTime(t *testing.T) {
	set := func(g cache.LastGood) func(*cache.Cache) {
		return func(c *cache.Cache) { c.LastGood = g }
	}
	runTimelines(t, []timeline{
		{
			name: "a failure on 1 January and one on 1 February",
			table: `
			at   | server | call     | answer             | retrieval                     | next  | requests
			0    | down   | /private | denied unreachable | unreachable error, failing 0s | ~1m   | 1
			31d  |        | /private | denied unreachable | unreachable error, failing 0s | ~2m   | 2
			62d  |        | /private | denied unreachable | unreachable error, failing 0s | ~4m   | 3
			93d  |        | /private | denied unreachable | unreachable error, failing 0s | ~8m   | 4
			124d |        | /private | denied unreachable | unreachable error, failing 0s | ~16m  | 5
			155d |        | /private | denied unreachable | unreachable error, failing 0s | ~32m  | 6`,
		},
		{
			name: "failures at boot, when the clock says 1970, and failures after it is set",
			table: `
			at          | server | call     | answer             | retrieval                          | requests
			-20576d     | down   | /private | denied unreachable | unreachable error, failing 0s      | 1
			-20575d23h |        | /private | denied unreachable | unreachable error, failing 1h0m0s  | 2
			-20575d22h  |        | /private | denied unreachable | unreachable error, failing 2h0m0s  | 3
			-20575d20h  |        | /private | denied unreachable | unreachable error, failing 4h0m0s  | 4
			-20575d18h  |        | /private | denied unreachable | unreachable error, failing 6h0m0s  | 5
			-20575d16h  |        | /private | denied unreachable | unreachable error, failing 8h0m0s  | 6
			0           |        | peek /private | denied unreachable | unreachable error, failing 20576d0s | 6
			0           |        | /private | denied unreachable | unreachable error, failing 0s      | 7
			1h          |        | /private | denied unreachable | unreachable error, failing 1h0m0s  | 8`,
		},
		{
			name: "the count begins again if a clock is set back, or set forward",
			table: `
			at     | server | call     | answer             | retrieval                     | requests
			100d   | down   | /private | denied unreachable | unreachable error, failing 0s | 1
			105d   |        | /private | denied unreachable | unreachable error, failing 5d0s | 2
			110d   |        | /private | denied unreachable | unreachable error, failing 10d0s | 3
			115d   |        | /private | denied unreachable | unreachable error, failing 15d0s | 4
			120d   |        | /private | denied unreachable | unreachable error, failing 20d0s | 5
			110d   |        | /private | denied unreachable | unreachable error, failing 0s | 6
			131d   |        | /private | denied unreachable | unreachable error, failing 0s | 7
			131d1h |        | /private | denied unreachable | unreachable error, failing 1h0m0s | 8`,
		},
		{
			name: "the count does not begin again for a small difference of two clocks",
			table: `
			at      | server | call     | answer              | retrieval                              | requests
			0       | down   | /private | denied unreachable  | unreachable error, failing 0s          | 1
			7d      |        | /private | denied unreachable  | unreachable error, failing 7d0s        | 2
			14d     |        | /private | denied unreachable  | unreachable error, failing 14d0s       | 3
			13d23h56m |      | refresh  |                     |                                        | 4
			21d     |        | /private | denied unreachable  | unreachable error, failing 21d0s       | 5
			30d     |        | peek /private | denied unreachable | unreachable error, failing 30d0s  | 5
			28d     |        | /private | denied unreachable  | unreachable error, failing 28d0s       | 6
			30d     |        | peek /private | allowed unavailable | unavailable error stale, failing 30d0s | 6`,
		},
		{
			name:     "RelaxAfter of 48 hours: what a long time of failures means ends after a gap of 12 hours, before the back-off of 24 hours ends",
			settings: func(c *cache.Cache) { c.RelaxAfter = 48 * time.Hour },
			table: `
			at    | server                  | call     | answer              | retrieval                                | next  | requests
			0     | 500                     | /private | denied unreachable  | unreachable 500, failing 0s              | ~1m   | 1
			12h   |                         | /private | denied unreachable  | unreachable 500, failing 12h0m0s         | ~2m   | 2
			24h   |                         | /private | denied unreachable  | unreachable 500, failing 1d0s            | ~4m   | 3
			36h   |                         | /private | denied unreachable  | unreachable 500, failing 1d12h0m0s       | ~8m   | 4
			48h   | 500; Retry-After: 86400 | /private | allowed unavailable | unavailable 500 stale, failing 2d0s      | 24h   | 5
			60h   |                         | /private | allowed unavailable | unavailable 500 stale, failing 2d12h0m0s | 12h   | 5
			60h1s |                         | /private | denied unreachable  | unreachable 500, failing 2d12h0m1s       | 11h59m59s | 5
			72h   | 200                     | /private | denied rule         | rules 200                                | 24h [draft1996 7d] | 6`,
		},
		{
			name: "one failure, and many in the last hour of the 30 days",
			table: `
			at        | server | call     | answer             | retrieval                        | requests
			0         | 500    | /private | denied unreachable | unreachable 500, failing 0s      | 1
			29d23h    |        | /private | denied unreachable | unreachable 500, failing 0s      | 2
			29d23h10m |        | /private | denied unreachable | unreachable 500, failing 10m0s   | 3
			29d23h30m |        | /private | denied unreachable | unreachable 500, failing 30m0s   | 4
			29d23h45m |        | /private | denied unreachable | unreachable 500, failing 45m0s   | 5
			30d5m     |        | /private | denied unreachable | unreachable 500, failing 1h5m0s  | 6
			30d1h     |        | /private | denied unreachable | unreachable 500, failing 2h0m0s  | 7`,
		},
		{
			name: "four failures are too few",
			table: `
			at     | server | call          | answer              | retrieval                               | requests
			0      | down   | /private      | denied unreachable  | unreachable error, failing 0s           | 1
			7d12h  |        | /private      | denied unreachable  | unreachable error, failing 7d12h0m0s    | 2
			15d    |        | /private      | denied unreachable  | unreachable error, failing 15d0s        | 3
			22d12h |        | /private      | denied unreachable  | unreachable error, failing 22d12h0m0s   | 4
			30d    |        | peek /private | denied unreachable  | unreachable error, failing 30d0s        | 4
			30d    |        | /private      | allowed unavailable | unavailable error stale, failing 30d0s  | 5
			37d12h |        | peek /private | allowed unavailable | unavailable error stale, failing 37d12h0m0s | 5
			37d12h1s |      | peek /private | denied unreachable  | unreachable error, failing 37d12h0m1s   | 5
			37d12h1s |      | /private      | denied unreachable  | unreachable error, failing 0s           | 6`,
		},
		{
			name: "a gap of a quarter and one second: the count begins again with the later failure",
			table: `
			at       | server | call     | answer             | retrieval                                 | requests
			0        | down   | /private | denied unreachable | unreachable error, failing 0s             | 1
			7d       |        | /private | denied unreachable | unreachable error, failing 7d0s           | 2
			14d12h1s |        | /private | denied unreachable | unreachable error, failing 0s             | 3
			21d      |        | /private | denied unreachable | unreachable error, failing 6d11h59m59s    | 4
			28d      |        | /private | denied unreachable | unreachable error, failing 13d11h59m59s   | 5
			32d      |        | /private | denied unreachable | unreachable error, failing 17d11h59m59s   | 6
			39d      |        | /private | denied unreachable | unreachable error, failing 24d11h59m59s   | 7
			44d12h1s |        | /private | allowed unavailable| unavailable error stale, failing 30d0s    | 8`,
		},
		{
			name: "a question once a week",
			table: `
			at   | server | call     | answer              | retrieval                              | requests
			0    | down   | /private | denied unreachable  | unreachable error, failing 0s          | 1
			7d   | 500    | /private | denied unreachable  | unreachable 500, failing 7d0s          | 2
			14d  | 503    | /private | denied unreachable  | unreachable 503, failing 14d0s         | 3
			21d  | down   | /private | denied unreachable  | unreachable error, failing 21d0s       | 4
			28d  |        | /private | denied unreachable  | unreachable error, failing 28d0s       | 5
			35d  |        | /private | allowed unavailable | unavailable error stale, failing 35d0s | 6
			42d  | 200    | /private | denied rule         | rules 200                              | 7`,
		},
		{
			name: "an answer begins the count again",
			table: `
			at   | server | call     | answer              | retrieval                        | requests
			0    | down   | /private | denied unreachable  | unreachable error, failing 0s    | 1
			7d   |        | /private | denied unreachable  | unreachable error, failing 7d0s  | 2
			14d  |        | /private | denied unreachable  | unreachable error, failing 14d0s | 3
			21d  | 404    | /private | allowed unavailable | unavailable 404                  | 4
			28d  | down   | /private | denied unreachable  | unreachable error, failing 0s    | 5
			35d  |        | /private | denied unreachable  | unreachable error, failing 7d0s  | 6`,
		},
		{
			name: "the copy is used by the same rule",
			table: `
			at    | server                           | call     | answer             | retrieval                        | requests
			0     | 200; Cache-Control: max-age=3600 | /private | denied rule        | rules 200                        | 1
			1d    | 500                              | /        | denied unreachable | unreachable 500, failing 0s      | 2
			32d   |                                  | /        | denied unreachable | unreachable 500, failing 0s      | 3
			39d   |                                  | /        | denied unreachable | unreachable 500, failing 7d0s    | 4
			46d   |                                  | /        | denied unreachable | unreachable 500, failing 14d0s   | 5
			53d   |                                  | /        | denied unreachable | unreachable 500, failing 21d0s   | 6
			60d   |                                  | /        | denied unreachable | unreachable 500, failing 28d0s   | 7
			67d   |                                  | /        | allowed no-rule-matched | rules 200 stale, failing 35d0s | 8`,
		},
		{
			name:     "LastGoodNever has the same rule",
			settings: set(cache.LastGoodNever),
			table: `
			at    | server                           | call     | answer              | retrieval                            | requests
			0     | 200; Cache-Control: max-age=3600 | /private | denied rule         | rules 200                            | 1
			1d    | 500                              | /        | denied unreachable  | unreachable 500, failing 0s          | 2
			32d   |                                  | /        | denied unreachable  | unreachable 500, failing 0s          | 3
			39d   |                                  | /        | denied unreachable  | unreachable 500, failing 7d0s        | 4
			46d   |                                  | /        | denied unreachable  | unreachable 500, failing 14d0s       | 5
			53d   |                                  | /        | denied unreachable  | unreachable 500, failing 21d0s       | 6
			60d   |                                  | /        | denied unreachable  | unreachable 500, failing 28d0s       | 7
			67d   |                                  | /private | allowed unavailable | unavailable 500 stale, failing 35d0s | 8`,
		},
		{
			name:     "LastGoodAtOnce uses the copy without a count",
			settings: set(cache.LastGoodAtOnce),
			table: `
			at    | server                           | call     | answer      | retrieval                   | requests
			0     | 200; Cache-Control: max-age=3600 | /private | denied rule | rules 200                   | 1
			1d    | 500                              | /private | denied rule | rules 200 stale, failing 0s | 2
			32d   |                                  | /private | denied rule | rules 200 stale, failing 0s | 3`,
		},
	})
}

// G-5: the next retrieval from an unreachable site.
func TestRetryAfter(t *testing.T) {
	runTimelines(t, []timeline{
		{
			name:     "G-5: Retry-After, from 30 seconds to 24 hours",
			newSites: true,
			table: `
			server                                            | call  | next
			503; Retry-After: 120                             | /     | 2m
			500; Retry-After: 120                             | /     | 2m
			429; Retry-After: 120                             | /     | 2m
			429; Retry-After: 7200                            | /     | 2h
			503; Retry-After: 30                              | /     | 30s
			503; Retry-After: 31                              | /     | 31s
			503; Retry-After: 29                              | /     | 30s
			503; Retry-After: 1                               | /     | 30s
			503; Retry-After: 0                               | /     | 30s
			503; Retry-After: 86400                           | /     | 24h
			503; Retry-After: 86401                           | /     | 24h
			503; Retry-After: 99999999999999999999            | /     | 24h
			503; Retry-After: +2m                             | /     | 2m
			503; Retry-After: +72h                            | /     | 24h
			503; Retry-After: -1h                             | /     | 30s
			503; Retry-After: Fri, 31 Dec 9999 23:59:59 GMT   | /     | 24h
			503; Retry-After: Mon, 01 Jan 0001 00:00:00 GMT   | /     | 30s
			503; Retry-After: Saturday, 02-May-26 12:00:00 GMT| /     | 30s
			503; Retry-After: soon                            | /     | ~30s
			503; Retry-After: 1.5                             | /     | ~30s
			500; Retry-After: -5                              | /     | ~1m
			500; Retry-After: 2m                              | /     | ~1m
			500; Retry-After:                                 | /     | ~1m
			301; Retry-After: 120                             | /     | ~1m
			404; Retry-After: 120                             | /     | 24h [draft1996 7d]
			200; Retry-After: 120                             | /     | 24h [draft1996 7d]`,
		},
		{
			name: "G-5: no retrieval before Retry-After, which is used instead of the back-off after each failure",
			table: `
			at     | server                | call  | answer             | retrieval                      | next  | requests
			0      | 503; Retry-After: 120 | /     | denied unreachable | unreachable 503, failing 0s    | 2m    | 1
			119s   |                       | /     | denied unreachable | unreachable 503, failing 1m59s | 1s    | 1
			2m     |                       | /     | denied unreachable | unreachable 503, failing 2m0s  | 2m    | 2
			4m     |                       | /     | denied unreachable | unreachable 503, failing 4m0s  | 2m    | 3
			6m     | 503                   | /     | denied unreachable | unreachable 503, failing 6m0s  | ~4m   | 4`,
		},
	})
}

// G-8: an answer is refreshed in the background if there is a question shortly before it expires.
func TestBackgroundRefresh(t *testing.T) {
	runTimelines(t, []timeline{
		{
			name: "R-18, G-8: a question in the last tenth of the fresh time refreshes a file in the background",
			table: `
			at     | server                                            | call     | answer      | retrieval | age    | next   | requests
			0      | 200; Cache-Control: max-age=6000; Etag: "1"       | /private | denied rule | rules 200 | 0      | 100m   | 1
			89m    |                                                   | /private | denied rule | rules 200 | 89m    | 11m    | 1
			91m    |                                                   | /private | denied rule | rules 200 | 91m    | 9m     | 2 conditional [google 2]
			91m    |                                                   | /private | denied rule | rules 200 | 0      | 100m   | 2
			105m   |                                                   | /private | denied rule | rules 200 | 14m    | 86m    | 2
			185m   | 200 other; Cache-Control: max-age=6000; Etag: "2" | /private | denied rule | rules 200 | 94m    | 6m     | 3 conditional [google 3]
			186m   |                                                   | /other   | denied rule | rules 200 | 1m     | 99m    | 3
			280m   | 404; Cache-Control: max-age=6000                  | /other   | denied rule | rules 200 | 95m    | 5m     | 4 conditional [google 4]
			281m   |                                                   | /other   | allowed unavailable | unavailable 404 | 1m | 99m | 4`,
		},
		{
			name: "R-14, S96-1: unavailable and restricted are refreshed in the same way",
			table: `
			at     | server                           | call     | answer      | age | next   | requests
			0      | 403; Cache-Control: max-age=6000 | /private | allowed unavailable [standard1994,draft1996 denied restricted] | 0   | 100m | 1
			95m    | 200                              | /private | allowed unavailable [standard1994,draft1996 denied restricted] | 95m | 5m   | 2
			96m    |                                  | /private | denied rule | 1m  | 23h59m [draft1996 6d23h59m] | 2`,
		},
		{
			name: "G-8: without a question there is no refresh",
			table: `
			at     | server                           | call     | answer      | retrieval | age | next  | requests
			0      | 200; Cache-Control: max-age=6000 | /private | denied rule | rules 200 | 0   | 100m  | 1
			89m    |                                  | /private | denied rule | rules 200 | 89m | 11m   | 1
			5h     |                                  | /private | denied rule | rules 200 | 0   | 100m  | 2`,
		},
		{
			name: "G-8: Peek starts no refresh",
			table: `
			at     | server                           | call          | answer      | retrieval | age | next  | requests
			0      | 200; Cache-Control: max-age=6000 | /private      | denied rule | rules 200 | 0   | 100m  | 1
			95m    |                                  | peek /private | denied rule | rules 200 | 95m | 5m    | 1`,
		},
		{
			name: "R-15, R-18, G-8: after a failure in the background the file is still fresh, and a back-off begins",
			table: `
			at     | server                           | call     | answer             | retrieval                        | age    | next  | requests
			0      | 200; Cache-Control: max-age=6000 | /private | denied rule        | rules 200                        | 0      | 100m  | 1
			91m    | 500                              | /private | denied rule        | rules 200                        | 91m    | 9m    | 2
			91m40s |                                  | /private | denied rule        | rules 200, failing 40s           | 91m40s | 8m20s | 2
			98m30s |                                  | /private | denied rule        | rules 200, failing 7m30s         | 98m30s | 90s   | 3
			99m    |                                  | /private | denied rule        | rules 200, failing 8m0s          | 99m    | 1m    | 3
			100m   |                                  | /private | denied unreachable | unreachable 500, failing 9m0s    | 90s    | ~2m   | 3
			101m   |                                  | /private | denied unreachable | unreachable 500, failing 10m0s   | 0      | ~4m   | 4
			102m   |                                  | /private | denied unreachable | unreachable 500, failing 11m0s   | 1m     | ~4m   | 4`,
		},
		{
			name: "R-18, G-8: a failure in the background, then an answer",
			table: `
			at     | server                           | call     | answer             | retrieval                        | age    | next  | requests
			0      | 200; Cache-Control: max-age=6000 | /private | denied rule        | rules 200                        | 0      | 100m  | 1
			91m    | down                             | /private | denied rule        | rules 200                        | 91m    | 9m    | 2
			93m    | 200; Cache-Control: max-age=6000 | /private | denied rule        | rules 200, failing 2m0s          | 93m    | 7m    | 3
			94m    |                                  | /private | denied rule        | rules 200                        | 1m     | 99m   | 3`,
		},
		{
			name: "R-14, R-15: after a failure in the background the answer unavailable is still fresh",
			table: `
			at     | server                           | call     | answer              | retrieval                        | age    | next  | requests
			0      | 404; Cache-Control: max-age=6000 | /private | allowed unavailable | unavailable 404                  | 0      | 100m  | 1
			91m    | 500; Retry-After: 3600           | /private | allowed unavailable | unavailable 404                  | 91m    | 9m    | 2
			99m    |                                  | /private | allowed unavailable | unavailable 404, failing 8m0s    | 99m    | 1m    | 2
			100m   |                                  | /private | denied unreachable  | unreachable 500, failing 9m0s    | 9m     | 51m   | 2`,
		},
	})
}

// after a clock was set back, no answer is used for ever.
func TestClockSetBack(t *testing.T) {
	runTimelines(t, []timeline{
		{
			name: "R-18: an answer with a time in the future is fetched again",
			table: `
			at    | server                           | call     | answer              | retrieval       | age | next  | requests
			48h   | 200; Cache-Control: max-age=3600 | /private | denied rule         | rules 200       | 0   | 1h    | 1
			24h   | 200 other; Cache-Control: max-age=3600 | /private | allowed no-rule-matched | rules 200 | 0 | 1h | 2
			24h30m|                                  | /other   | denied rule         | rules 200       | 30m | 30m   | 2
			25h   | 404; Cache-Control: max-age=3600 | /other   | allowed unavailable | unavailable 404 | 0   | 1h    | 3
			1h    | 200; Cache-Control: max-age=3600 | /private | denied rule         | rules 200       | 0   | 1h    | 4`,
		},
		{
			name: "R-18: a small difference of clocks has no effect",
			table: `
			at  | server                           | call     | answer      | retrieval | age   | next   | requests
			1h  | 200; Cache-Control: max-age=3600 | /private | denied rule | rules 200 | 0     | 1h     | 1
			57m | down                             | /private | denied rule | rules 200 | -3m   | 63m    | 1`,
		},
		{
			name: "R-15, R-16: a failure with a time in the future has no back-off",
			table: `
			at    | server                 | call     | answer             | retrieval                             | age | next  | requests
			48h   | 500; Retry-After: 7200 | /private | denied unreachable | unreachable 500, failing 0s           | 0   | 2h    | 1
			24h |              | /private | denied unreachable | unreachable 500, failing 0s           | 0   | 2h    | 2
			26h   | 200                    | /private | denied rule        | rules 200                             | 0   | 24h [draft1996 7d] | 3`,
		},
		{
			name: "R-15, R-18: a file with a time in the future is not used when the site fails",
			table: `
			at    | server                           | call     | answer             | retrieval                    | age | next  | requests
			48h   | 200; Cache-Control: max-age=3600 | /private | denied rule        | rules 200                    | 0   | 1h    | 1
			24h   | 500                              | /        | denied unreachable | unreachable 500, failing 0s  | 0   | ~1m   | 2`,
		},
		{
			name: "Refresh makes a retrieval whatever is cached",
			table: `
			at    | server | call     | requests
			48h   | 200    | /        | 1
			49h   |        | refresh  | 2
			24h | | refresh | 3`,
		},
	})
}

// S96-1: the draft of 1996 defers visits until the file can be fetched, so there is no end. The standard
// of 1994 does not mention failures: as in R-16.
func TestLongFailuresIn1996(t *testing.T) {
	runTimelines(t, []timeline{{
		name:     "S96-1, R-16: RelaxAfter 0",
		dialects: older,
		settings: func(c *cache.Cache) { c.RelaxAfter = 0 },
		table: `
			at            | server | call     | answer                                                      | retrieval
			0             | 200    | /private | denied rule                                                 | rules 200
			8d            | 500    | /private | denied unreachable                                          | unreachable 500, failing 0s
			400d every 7d |        | /        | denied unreachable [standard1994 allowed no-rule-matched]   | unreachable 500, failing 392d0s [standard1994 rules 200 stale, failing 392d0s]
			401d          | 404    | /        | allowed unavailable                                         | unavailable 404`,
	}})
}
