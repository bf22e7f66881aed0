package server

import (
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/report"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

// Metrics are the counts of GET /metrics. No label contains a text from clients or sites, because there could be too many
// different labels.
type Metrics struct {
	registry  *prometheus.Registry
	questions atomic.Uint64
	answers   map[string]prometheus.Counter // by verdict
	stale     prometheus.Counter
	pending   prometheus.Counter
	requests  *prometheus.CounterVec
	durations *prometheus.HistogramVec
	fetches   *prometheus.CounterVec
	fetching  prometheus.Histogram
	stores    *prometheus.CounterVec
	turns     *prometheus.CounterVec
}

func NewMetrics(version string) *Metrics {
	m := &Metrics{registry: prometheus.NewRegistry(), answers: map[string]prometheus.Counter{}}
	counter := func(name, help string) prometheus.CounterOpts {
		return prometheus.CounterOpts{Namespace: "heed", Name: name, Help: help}
	}
	answers := prometheus.NewCounterVec(counter("answers_total", "Answers to questions, rows of streams included, by verdict; error is a line of a stream without an answer."), []string{"verdict"})
	for _, v := range []string{"allowed", "disallowed", "unreachable", "error"} {
		m.answers[v] = answers.WithLabelValues(v)
	}
	m.turns = prometheus.NewCounterVec(counter("turns_total", "Turns that were asked for or given back, by result: reserved, none (there is no crawl delay), busy, returned."), []string{"result"})
	for _, result := range []string{turnReserved, turnNone, turnBusy, turnReturned} {
		m.turns.WithLabelValues(result) // without this call, the value 0 would not be shown
	}
	m.stale = prometheus.NewCounter(counter("answers_stale_total", "Answers from a robots.txt that was no longer fresh."))
	m.pending = prometheus.NewCounter(counter("answers_pending_total", "Answers that did not wait for a retrieval (max_wait)."))
	m.requests = prometheus.NewCounterVec(counter("http_requests_total", "Requests, by method of the API and status of the response; the method other is for requests that were refused before their method was known."), []string{"method", "status"})
	m.durations = prometheus.NewHistogramVec(prometheus.HistogramOpts{Namespace: "heed", Name: "http_request_seconds", Help: "Time from a request to the end of its response, by method of the API.",
		Buckets: []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30}}, []string{"method"})
	m.fetches = prometheus.NewCounterVec(counter("retrievals_total", "Retrievals of robots.txt files, by outcome."), []string{"outcome"})
	m.fetching = prometheus.NewHistogram(prometheus.HistogramOpts{Namespace: "heed", Name: "retrieval_seconds", Help: "Time of a retrieval, with its redirects.",
		Buckets: []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60}})
	m.stores = prometheus.NewCounterVec(counter("store_errors_total", "Failures of the store, by what was tried: get, put, lease, turn, open (its file), record (a corrupt one)."), []string{"what"})
	for _, what := range []string{"get", "put", "lease", "turn", "open", "record"} {
		m.stores.WithLabelValues(what) // without this call, the value 0 would not be shown
	}
	build := prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: "heed", Name: "build_info", Help: "Always 1; the label has the version of Heed."}, []string{"version"})
	build.WithLabelValues(version).Set(1)
	m.registry.MustRegister(answers, m.stale, m.pending, m.requests, m.durations, m.fetches, m.fetching, m.stores, m.turns, build,
		collectors.NewGoCollector(), processCollector{collectors.NewProcessCollector(collectors.ProcessCollectorOpts{})})
	return m
}

// A processCollector leaves out the metrics of the network, because they count the bytes of all programs on the machine.
type processCollector struct{ prometheus.Collector }

func (p processCollector) Collect(metrics chan<- prometheus.Metric) {
	all := make(chan prometheus.Metric)
	go func() {
		p.Collector.Collect(all)
		close(all)
	}()
	for m := range all {
		if !strings.Contains(m.Desc().String(), "process_network_") {
			metrics <- m
		}
	}
}

// Events returns the functions that a cache calls, for example after a retrieval. They count what has happened.
func (m *Metrics) Events(statuses fetch.Statuses) cache.Events {
	return cache.Events{
		Fetched: func(r *fetch.Result) {
			m.fetches.WithLabelValues(r.OutcomeBy(statuses).String()).Inc()
			m.fetching.Observe(r.End.Sub(r.Start).Seconds())
		},
		StoreFailed: func(what string, _ origin.Origin, _ error) { m.StoreFailed(what) },
		WrongRecord: func(origin.Origin, error) { m.stores.WithLabelValues("record").Inc() },
	}
}

func (m *Metrics) StoreFailed(what string) { m.stores.WithLabelValues(what).Inc() }

func (m *Metrics) handlerWith(c *Caches) http.Handler {
	sum := func(count func(cache.Stats) uint64) func() float64 {
		return func() float64 {
			total := uint64(0)
			for _, one := range c.byDialect {
				total += count(one.Stats())
			}
			return float64(total)
		}
	}
	total := func(name, help string, count func(cache.Stats) uint64) {
		m.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Namespace: "heed", Subsystem: "cache", Name: name, Help: help}, sum(count)))
	}
	misses := sum(func(s cache.Stats) uint64 { return s.Waited })
	m.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Namespace: "heed", Subsystem: "cache", Name: "hits_total", Help: "Questions that memory answered."},
		func() float64 { n := misses(); return max(0, float64(m.questions.Load())-n) })) // questions is read last, because each question is counted in questions before it is counted in misses
	total("misses_total", "Questions that read the store, or waited for a retrieval.", func(s cache.Stats) uint64 { return s.Waited })
	total("coalesced_total", "Misses that shared what an earlier question had begun.", func(s cache.Stats) uint64 { return s.Shared })
	total("evictions_total", "Origins that memory had no room for.", func(s cache.Stats) uint64 { return s.Evicted })
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Namespace: "heed", Subsystem: "cache", Name: "origins", Help: "Origins in memory, approximately."},
		sum(func(s cache.Stats) uint64 { return uint64(s.Origins) })))
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

func (m *Metrics) answered(d robotstxt.Decision, stale bool) {
	m.answers[report.VerdictOf(d)].Inc()
	if stale {
		m.stale.Inc()
	}
}

func (m *Metrics) answeredLive(a *cache.Answer, pending bool) {
	m.answered(a.Decision, a.Stale)
	if pending {
		m.pending.Inc()
	}
}

// A methodMetrics keeps its counters, because looking them up for each request would be slow.
type methodMetrics struct {
	name     string
	ok       prometheus.Counter
	duration prometheus.Observer
}

func (m *Metrics) forMethod(name string) methodMetrics {
	return methodMetrics{name, m.requests.WithLabelValues(name, "200"), m.durations.WithLabelValues(name)}
}

func (m *Metrics) ended(method *methodMetrics, status int, took time.Duration) {
	method.duration.Observe(took.Seconds())
	if status == http.StatusOK {
		method.ok.Inc()
		return
	}
	m.requests.WithLabelValues(method.name, strconv.Itoa(status)).Inc()
}

// refused counts a request that no method of the API has answered.
func (m *Metrics) refused(status int) {
	m.requests.WithLabelValues("other", strconv.Itoa(status)).Inc()
}

// What happened to a request for a turn (a time reserved for one request), as labels of metrics.
const (
	turnReserved = "reserved"
	turnNone     = "none"
	turnBusy     = "busy"
	turnReturned = "returned"
)
