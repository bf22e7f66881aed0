package cache_test

import (
	"testing"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/testing/portion"
	"github.com/heed-robots/heed/robotstxt"
)

// These tests follow the table "The state of an origin" in the package documentation.

// S96-1, S96-7, G-4, G-8: the first rows of the table: a fresh answer, and a
// stale one.
func TestFreshAndStaleAnswers(t *testing.T) {
	portion.Skip(t, 4)
	runTimelines(t, []timeline{
		{
			// S96-6: a question names no HTTP method, so the answer holds for each method.
			name: "R-18, S96-6: the first question makes a retrieval, others make none while the answer is fresh",
			table: `
			at                     | server | call        | answer                  | retrieval | age                   | next                 | requests
			0                      | 200    | /private    | denied rule             | rules 200 | 0                     | 24h [draft1996 7d]   | 1
			1h                     |        | /private/a  | denied rule             | rules 200 | 1h                    | 23h [draft1996 6d23h]| 1
			                       |        | /           | allowed no-rule-matched | rules 200 | 1h                    | 23h [draft1996 6d23h]| 1
			21h                    | down   | /private    | denied rule             | rules 200 | 21h                   | 3h [draft1996 6d3h]  | 1
			24h [draft1996 7d]     | 200    | /private    | denied rule             | rules 200 | 0                     | 24h [draft1996 7d]   | 2`,
		},
		{
			name:     "R-12, S94-10: an empty robots.txt is a robots.txt",
			newSites: true,
			table: `
			server    | call     | answer           | retrieval | next               | requests
			200 empty | /private | allowed no-group | rules 200 | 24h [draft1996 7d] | 1
			204       | /private | allowed no-group | rules 204 | 24h [draft1996 7d] | 1
			200 other | /private | allowed no-rule-matched | rules 200 | 24h [draft1996 7d] | 1
			200 other | /other   | denied rule      | rules 200 | 24h [draft1996 7d] | 1`,
		},
		{
			name:     "R-13, R-14, R-15, S96-1, G-3, G-4, G-5, G-6, G-7: what an answer means, and how long it is cached",
			newSites: true,
			table: `
			server          | call  | answer              | retrieval       | next  | requests
			404             | /a    | allowed unavailable | unavailable 404 | 24h [draft1996 7d] | 1
			410             | /a    | allowed unavailable | unavailable 410 | 24h [draft1996 7d] | 1
			400             | /a    | allowed unavailable | unavailable 400 | 24h [draft1996 7d] | 1
			451             | /a    | allowed unavailable | unavailable 451 | 24h [draft1996 7d] | 1
			401             | /a    | allowed unavailable [standard1994,draft1996 denied restricted] | unavailable 401 [standard1994,draft1996 restricted 401] | 24h [draft1996 7d] | 1
			403             | /a    | allowed unavailable [standard1994,draft1996 denied restricted] | unavailable 403 [standard1994,draft1996 restricted 403] | 24h [draft1996 7d] | 1
			429             | /a    | denied unreachable  | unreachable 429, failing 0s       | ~1m  | 1
			500             | /a    | denied unreachable  | unreachable 500, failing 0s       | ~1m  | 1
			502             | /a    | denied unreachable  | unreachable 502, failing 0s       | ~1m  | 1
			503             | /a    | denied unreachable  | unreachable 503, failing 0s       | ~30s | 1
			304             | /a    | denied unreachable  | unreachable 304, failing 0s       | ~1m  | 1
			300             | /a    | denied unreachable  | unreachable 300, failing 0s       | ~1m  | 1
			301             | /a    | denied unreachable  | unreachable 301 error, failing 0s | ~1m  | 1
			600             | /a    | denied unreachable  | unreachable 600, failing 0s       | ~1m  | 1
			down            | /a    | denied unreachable  | unreachable error, failing 0s     | ~1m  | 1
			reset           | /a    | denied unreachable  | unreachable error, failing 0s     | ~1m  | 1
			garbage         | /a    | denied unreachable  | unreachable error, failing 0s     | ~1m  | 1
			half            | /a    | denied unreachable  | unreachable 200 error, failing 0s | ~1m  | 1
			500 not found   | /a    | denied unreachable [google allowed unavailable] | unreachable 500, failing 0s [google unavailable 500] | ~1m [google 24h]  | 1
			503 not found   | /a    | denied unreachable | unreachable 503, failing 0s | ~30s | 1
			200 after 5 redirects  | /private | denied rule  | rules 200 | 24h [draft1996 7d] | 1
			200 after 6 redirects  | /private | allowed unavailable [standard1994,draft1996 denied rule] | unavailable 200 error [standard1994,draft1996 rules 200] | 24h [draft1996 7d] | 1
			200 after 10 redirects | /private | allowed unavailable [standard1994,draft1996 denied rule] | unavailable 200 error [standard1994,draft1996 rules 200] | 24h [draft1996 7d] | 1
			200 after 11 redirects | /private | allowed unavailable [standard1994,draft1996 denied unreachable] | unavailable 302 error [standard1994,draft1996 unreachable 302 error, failing 0s] | 24h [standard1994,draft1996 ~1m] | 1`,
		},
		{
			name:     "R-6: some dialects allow /robots.txt itself for each outcome",
			newSites: true,
			table: `
			server | call          | answer
			down   | /robots.txt   | denied unreachable [draft2019,rfc9309 allowed robots-txt-itself]
			503    | /robots.txt   | denied unreachable [draft2019,rfc9309 allowed robots-txt-itself]
			429    | /robots.txt   | denied unreachable [draft2019,rfc9309 allowed robots-txt-itself]
			429    | /robots.txt?a | denied unreachable
			429    | /Robots.txt   | denied unreachable
			403    | /robots.txt   | allowed unavailable [standard1994,draft1996 denied restricted]
			200    | /robots.txt   | allowed no-rule-matched [draft2019,rfc9309 allowed robots-txt-itself]`,
		},
		{
			name:     "R-15, G-7: a server that does not answer in time",
			settings: func(c *cache.Cache) { c.Fetcher = &fetch.Fetcher{AllowPrivate: true, Timeout: 400 * time.Millisecond} },
			table: `
			at | server | call  | answer             | retrieval                      | next  | requests
			0  | silent | /a    | denied unreachable | unreachable error, failing 0s  | ~1m   | 1
			1m |        | /a    | denied unreachable | unreachable error, failing 1m0s| ~2m   | 2`,
		},
		{
			name: "R-14: that there is no robots.txt is cached while it is fresh, then fetched again",
			table: `
			at  | server                   | call  | answer              | retrieval       | age | next  | requests
			0   | 404; Cache-Control: max-age=3600 | /a | allowed unavailable | unavailable 404 | 0   | 1h  | 1
			50m | 200                      | /private | allowed unavailable | unavailable 404 | 50m | 10m | 1
			1h  |                          | /private | denied rule      | rules 200       | 0   | 24h [draft1996 7d] | 2`,
		},
		{
			name:     "S96-1: that a site is restricted is cached while it is fresh, then fetched again",
			dialects: older,
			table: `
			at  | server                   | call  | answer              | retrieval       | age | next  | requests
			0   | 403; Cache-Control: max-age=3600 | / | denied restricted | restricted 403 | 0   | 1h   | 1
			50m | 401; Cache-Control: max-age=600  | / | denied restricted | restricted 403 | 50m | 10m  | 1
			1h  |                          | /     | denied restricted   | restricted 401  | 0   | 10m | 2
			2h  | 404                      | /     | allowed unavailable | unavailable 404 | 0   | 24h [draft1996 7d] | 3`,
		},
		{
			name: "R-14, S96-1, G-4: a robots.txt has no effect after it is gone, and has one after it is back",
			table: `
			at  | server                          | call     | answer              | retrieval       | age | next  | requests
			0   | 200; Cache-Control: max-age=600 | /private | denied rule         | rules 200       | 0   | 10m   | 1
			10m | 404; Cache-Control: max-age=600 | /private | allowed unavailable | unavailable 404 | 0   | 10m   | 2
			15m |                                 | /private | allowed unavailable | unavailable 404 | 5m  | 5m    | 2
			20m | 200; Cache-Control: max-age=600 | /private | denied rule         | rules 200       | 0   | 10m   | 3
			30m | 403; Cache-Control: max-age=600 | /private | allowed unavailable [standard1994,draft1996 denied restricted] | unavailable 403 [standard1994,draft1996 restricted 403] | 0 | 10m | 4`,
		},
		{
			name: "R-14: a robots.txt that was gone is back if the server sends 304 for it",
			table: `
			at  | server                                     | call     | answer              | retrieval       | age | next  | requests
			0   | 200; Cache-Control: max-age=600; Etag: "1" | /private | denied rule         | rules 200       | 0   | 10m   | 1
			10m | 404; Cache-Control: max-age=600            | /private | allowed unavailable | unavailable 404 | 0   | 10m   | 2 conditional [google 2]
			20m | 200; Cache-Control: max-age=600; Etag: "1" | /private | denied rule         | rules 200       | 0   | 10m   | 3 conditional [google 3]`,
		},
	})
}

// R-18, S96-7: which requests are conditional.
func TestConditionalRequests(t *testing.T) {
	runTimelines(t, []timeline{
		{
			name: "R-18, G-1: with an ETag",
			table: `
			at | server                                            | call     | answer      | retrieval | age | next  | requests
			0  | 200; Cache-Control: max-age=3600; Etag: "1"       | /private | denied rule | rules 200 | 0   | 1h    | 1
			30m|                                                   | /private | denied rule | rules 200 | 30m | 30m   | 1
			1h |                                                   | /private | denied rule | rules 200 | 0   | 1h    | 2 conditional [google 2]
			90m|                                                   | /private | denied rule | rules 200 | 30m | 30m   | 2
			2h | 200 other; Cache-Control: max-age=3600; Etag: "2" | /private | allowed no-rule-matched | rules 200 | 0 | 1h | 3 conditional [google 3]
			2h |                                                   | /other   | denied rule | rules 200 | 0   | 1h    | 3
			3h |                                                   | /other   | denied rule | rules 200 | 0   | 1h    | 4 conditional [google 4]`,
		},
		{
			name: "R-18, G-1: with Last-Modified",
			table: `
			at | server                                                                          | call     | answer      | retrieval | age | next  | requests
			0  | 200; Cache-Control: max-age=3600; Last-Modified: Fri, 01 May 2026 00:00:00 GMT  | /private | denied rule | rules 200 | 0   | 1h    | 1
			1h |                                                                                 | /private | denied rule | rules 200 | 0   | 1h    | 2 conditional [google 2]
			2h |                                                                                 | /private | denied rule | rules 200 | 0   | 1h    | 3 conditional [google 3]`,
		},
		{
			name: "R-18: without ETag and Last-Modified the request is unconditional",
			table: `
			at | server                           | call     | answer      | retrieval | age | next  | requests
			0  | 200; Cache-Control: max-age=3600 | /private | denied rule | rules 200 | 0   | 1h    | 1
			1h |                                  | /private | denied rule | rules 200 | 0   | 1h    | 2`,
		},
		{
			name:     "R-18, S96-7: after 304 the new headers decide how long the file is fresh, otherwise the old ones",
			dialects: conditional,
			table: `
			at     | server                                                        | call     | answer      | retrieval | age | next  | requests
			0      | 200; Cache-Control: max-age=3600; Etag: "1"; Age: 1800        | /private | denied rule | rules 200 | 0   | 30m   | 1
			30m    | 304                                                           | /private | denied rule | rules 200 | 0   | 1h    | 2 conditional
			90m    | 304; Cache-Control: max-age=7200                              | /private | denied rule | rules 200 | 0   | 2h    | 3 conditional
			210m   | 304; Age: 3600                                                | /private | denied rule | rules 200 | 0   | 1h    | 4 conditional
			270m   | 304; Etag: "2"                                                | /private | denied rule | rules 200 | 0   | 2h    | 5 conditional
			390m   | 200; Etag: "2"; Cache-Control: max-age=600                    | /private | denied rule | rules 200 | 0   | 10m   | 6 conditional`,
		},
		{
			name: "R-18, G-1: after a failure the request is conditional, as before",
			table: `
			at | server                                      | call     | answer      | retrieval | age | next  | requests
			0  | 200; Cache-Control: max-age=3600; Etag: "1" | /private | denied rule | rules 200 | 0   | 1h    | 1
			1h | 500                                         | /private | denied unreachable | unreachable 500, failing 0s | 0 | ~1m | 2 conditional [google 2]
			2h | 200; Cache-Control: max-age=3600; Etag: "1" | /private | denied rule | rules 200 | 0   | 1h    | 3 conditional [google 3]`,
		},
		{
			name: "R-18: after 404 and 500 the request is still conditional: the copy is kept",
			table: `
			at  | server                                     | call     | answer              | retrieval       | age | next  | requests
			0   | 200; Cache-Control: max-age=600; Etag: "1" | /private | denied rule         | rules 200       | 0   | 10m   | 1
			10m | 404; Cache-Control: max-age=600            | /private | allowed unavailable | unavailable 404 | 0   | 10m   | 2 conditional [google 2]
			20m | 500                                        | /private | denied unreachable  | unreachable 500, failing 0s | 0 | ~1m | 3 conditional [google 3]
			30m | 200; Cache-Control: max-age=600; Etag: "1" | /private | denied rule         | rules 200       | 0   | 10m   | 4 conditional [google 4]`,
		},
	})
}

// R-18, S96-7, G-8: how long an answer is fresh.
func TestFreshTimes(t *testing.T) {
	runTimelines(t, []timeline{
		{
			name:     "R-18, S96-7, G-8: from 5 minutes to the limit of the dialect",
			newSites: true,
			table: `
			server                                                  | call  | next
			200                                                     | /     | 24h [draft1996 7d]
			200; Cache-Control: max-age=3600                        | /     | 1h
			404; Cache-Control: max-age=3600                        | /     | 1h
			200; Cache-Control: max-age=300                         | /     | 5m
			200; Cache-Control: max-age=299                         | /     | 5m
			200; Cache-Control: max-age=1                           | /     | 5m
			200; Cache-Control: max-age=0                           | /     | 5m
			200; Cache-Control: max-age=0, must-revalidate          | /     | 5m
			200; Cache-Control: no-store                            | /     | 5m
			200; Cache-Control: no-cache                            | /     | 5m
			200; Cache-Control: no-cache, max-age=3600              | /     | 5m
			200; Cache-Control: max-age=3600, no-store              | /     | 5m
			200; Cache-Control: max-age=86400                       | /     | 24h
			200; Cache-Control: max-age=259200                      | /     | 24h [draft1996,google 3d]
			404; Cache-Control: max-age=259200                      | /     | 24h [draft1996,google 3d]
			200; Cache-Control: max-age=604800                      | /     | 24h [draft1996,google 7d]
			200; Cache-Control: max-age=2592000                     | /     | 24h [draft1996,google 7d]
			200; Cache-Control: max-age=99999999999999999999        | /     | 24h [draft1996,google 7d]
			200; Cache-Control: s-maxage=7200, max-age=60           | /     | 2h
			200; Cache-Control: max-age=60, s-maxage=7200           | /     | 2h
			200; Cache-Control: max-age=7200, s-maxage=0            | /     | 5m
			200; Cache-Control: public                              | /     | 24h [draft1996 7d]
			200; Cache-Control: PUBLIC, Max-Age="7200"              | /     | 2h
			200; Cache-Control: public; Cache-Control: max-age=7200 | /     | 2h
			200; Cache-Control: max-age=7200, max-age=60            | /     | 2h
			200; Cache-Control: max-age=soon                        | /     | 5m
			200; Cache-Control: max-age=-1                          | /     | 5m
			200; Cache-Control: max-age                             | /     | 5m
			200; Cache-Control: ,,=,max-age=7200,                   | /     | 2h`,
		},
		{
			name:     "S96-7, R-18, G-8: Expires, and Cache-Control, which is stronger",
			newSites: true,
			table: `
			server                                                           | call  | next
			200; Expires: +1h                                                | /     | 1h
			404; Expires: +1h                                                | /     | 1h
			200; Expires: +72h                                               | /     | 24h [draft1996,google 3d]
			200; Expires: +720h                                              | /     | 24h [draft1996,google 7d]
			200; Expires: -1h                                                | /     | 5m
			200; Expires: +0s                                                | /     | 5m
			200; Expires: 0                                                  | /     | 5m
			200; Expires: -1                                                 | /     | 5m
			200; Expires: tomorrow                                           | /     | 5m
			200; Expires: Fri, 31 Dec 9999 23:59:59 GMT                      | /     | 24h [draft1996,google 7d]
			200; Expires: Thu, 01 Jan 1970 00:00:00 GMT                      | /     | 5m
			200; Expires: Mon, 01 Jan 0001 00:00:00 GMT                      | /     | 5m
			200; Expires: +1h; Cache-Control: public                         | /     | 1h
			200; Expires: +1h; Cache-Control: max-age=7200                   | /     | 2h
			200; Expires: -1h; Cache-Control: max-age=7200                   | /     | 2h
			200; Expires: 0; Cache-Control: max-age=7200                     | /     | 2h
			200; Expires: +1h; Cache-Control: max-age=0                      | /     | 5m
			200; Expires: +1h; Cache-Control: no-store                       | /     | 5m`,
		},
		{
			name:     "R-18, S96-7, G-8: Age",
			newSites: true,
			table: `
			server                                                         | call  | next
			200; Cache-Control: max-age=3600; Age: 1800                    | /     | 30m
			404; Cache-Control: max-age=3600; Age: 1800                    | /     | 30m
			200; Cache-Control: max-age=3600; Age: 3600                    | /     | 5m
			200; Cache-Control: max-age=3600; Age: 7200                    | /     | 5m
			200; Cache-Control: max-age=3600; Age: 99999999999999999999    | /     | 5m
			200; Cache-Control: max-age=3600; Age: -60                     | /     | 1h
			200; Cache-Control: max-age=3600; Age: old                     | /     | 1h
			200; Cache-Control: max-age=93600; Age: 3600                   | /     | 24h [draft1996,google 25h]
			200; Cache-Control: max-age=93600; Age: 10800                  | /     | 23h
			200; Expires: +1h; Age: 1800                                   | /     | 30m
			200; Age: 3600                                                 | /     | 23h [draft1996 6d23h]
			404; Age: 3600                                                 | /     | 23h [draft1996 6d23h]
			200; Age: 86000                                                | /     | 6m40s [draft1996 6d6m40s]
			200; Age: 86400                                                | /     | 5m [draft1996 6d]
			200; Age: 604800                                               | /     | 5m
			200; Age: 99999999999999999999                                 | /     | 5m
			200; Age: -60                                                  | /     | 24h [draft1996 7d]`,
		},
		{
			name:     "R-18: a shorter MinFresh",
			newSites: true,
			settings: func(c *cache.Cache) { c.MinFresh = time.Minute },
			table: `
			server                                                         | call  | next
			200; Cache-Control: max-age=0                                  | /     | 1m
			200; Cache-Control: max-age=120                                | /     | 2m
			200                                                            | /     | 24h [draft1996 7d]`,
		},
		{
			name:     "R-18: the limit of the dialect is stronger than MinFresh",
			newSites: true,
			settings: func(c *cache.Cache) { c.MinFresh = 10 * 24 * time.Hour },
			table: `
			server                                                         | call  | next
			200; Cache-Control: max-age=0                                  | /     | 24h [draft1996,google 7d]`,
		},
		{
			name: "R-18: answers with no-store are fresh for MinFresh",
			table: `
			at  | server                                | call     | answer      | retrieval | age | next  | requests
			0   | 200; Cache-Control: no-store          | /private | denied rule | rules 200 | 0   | 5m    | 1
			4m  |                                       | /private | denied rule | rules 200 | 4m  | 1m    | 1
			5m  |                                       | /private | denied rule | rules 200 | 0   | 5m    | 2`,
		},
	})
}

// D-2: a robots.txt that is gone is still used, if that is set.
func TestCopyIfGone(t *testing.T) {
	copyIfGone := func(c *cache.Cache) { c.CopyIfGone = true }
	runTimelines(t, []timeline{
		{
			name:     "D-2: in the 2019 draft the last robots.txt is used for 24 hours",
			settings: copyIfGone,
			table: `
			at   | server                           | call     | answer                                      | retrieval                                    | age              | next  | requests
			0    | 200; Cache-Control: max-age=3600 | /private | denied rule                                 | rules 200                                    | 0                | 1h    | 1
			1h   | 404; Cache-Control: max-age=3600 | /private | allowed unavailable [draft2019 denied rule] | unavailable 404 [draft2019 rules 200 stale]  | 0 [draft2019 1h] | 1h    | 2
			90m  |                                  | /private | allowed unavailable [draft2019 denied rule] | unavailable 404 [draft2019 rules 200 stale]  | 30m [draft2019 90m] | 30m | 2
			2h   | 410; Cache-Control: max-age=3600 | /private | allowed unavailable [draft2019 denied rule] | unavailable 410 [draft2019 rules 200 stale]  | 0 [draft2019 2h] | 1h    | 3
			23h30m|                                 | /private | allowed unavailable [draft2019 denied rule] | unavailable 410 [draft2019 rules 200 stale]  | 0 [draft2019 23h30m] | 1h | 4
			23h59m|                                 | /private | allowed unavailable [draft2019 denied rule] | unavailable 410 [draft2019 rules 200 stale]  | 29m [draft2019 23h59m] | 31m | 4
			24h  |                                  | /private | allowed unavailable                         | unavailable 410                              | 30m              | 30m   | 4
			25h  |                                  | /private | allowed unavailable                         | unavailable 410                              | 0                | 1h    | 5`,
		},
		{
			name:     "D-2: 24 hours are counted from the last retrieval of the robots.txt",
			settings: copyIfGone,
			dialects: []*robotstxt.Dialect{robotstxt.Draft2019},
			table: `
			at   | server                                      | call     | answer              | retrieval       | age | next  | requests
			0    | 200; Cache-Control: max-age=3600; Etag: "1" | /private | denied rule         | rules 200       | 0   | 1h    | 1
			20h  |                                             | /private | denied rule         | rules 200       | 0   | 1h    | 2 conditional
			21h  | 404                                         | /private | denied rule         | rules 200 stale | 1h  | 24h   | 3 conditional
			40h  |                                             | /private | denied rule         | rules 200 stale | 20h | 5h    | 3
			44h  |                                             | /private | allowed unavailable | unavailable 404 | 23h | 1h    | 4 conditional`,
		},
		{
			name:     "D-2: no effect without a cached robots.txt",
			settings: copyIfGone,
			table: `
			at   | server | call     | answer              | retrieval       | age | next               | requests
			0    | 404    | /private | allowed unavailable | unavailable 404 | 0   | 24h [draft1996 7d] | 1`,
		},
		{
			name:     "D-2, R-15, R-16: a robots.txt that was gone is not used while the site is unreachable",
			settings: copyIfGone,
			table: `
			at     | server                           | call     | answer              | retrieval                              | next  | requests
			0      | 200; Cache-Control: max-age=3600 | /private | denied rule         | rules 200                              | 1h    | 1
			1h     | 404; Cache-Control: max-age=3600 | /private | allowed unavailable [draft2019 denied rule] | unavailable 404 [draft2019 rules 200 stale] | 1h | 2
			2h     | 500                              | /private | denied unreachable  | unreachable 500, failing 0s            | ~1m   | 3
			30d2h every 7d |                          | /private | allowed unavailable | unavailable 500 stale, failing 30d0s   | ~32m  | 8`,
		},
		{
			name:     "D-2: a failure does not end the use of the copy while the answer is fresh",
			settings: copyIfGone,
			dialects: []*robotstxt.Dialect{robotstxt.Draft2019},
			table: `
			at   | server                           | call     | answer      | retrieval                       | age | next  | requests
			0    | 200; Cache-Control: max-age=3600 | /private | denied rule | rules 200                       | 0   | 1h    | 1
			1h   | 404; Cache-Control: max-age=6000 | /private | denied rule | rules 200 stale                 | 1h  | 100m  | 2
			155m | 500                              | /private | denied rule | rules 200 stale                 | 155m| 5m    | 3
			155m30s |                       | /private | denied rule | rules 200 stale, failing 30s    | 155m30s | 4m30s | 3`,
		},
		{
			name: "D-2: without the setting a robots.txt that is gone is not used",
			table: `
			at   | server                           | call     | answer              | retrieval       | age | next  | requests
			0    | 200; Cache-Control: max-age=3600 | /private | denied rule         | rules 200       | 0   | 1h    | 1
			1h   | 404; Cache-Control: max-age=3600 | /private | allowed unavailable | unavailable 404 | 0   | 1h    | 2`,
		},
	})
}
