package cli

import (
	"time"

	"github.com/heed-robots/heed/robotstxt"
)

// newJSONRecord returns a record as JSON: times in seconds, times of day as
// they are written.
func newJSONRecord(r robotstxt.Record) any {
	switch r := r.(type) {
	case robotstxt.Sitemap:
		return map[string]any{"url": r.URL}
	case robotstxt.License:
		return map[string]any{"url": r.URL}
	case robotstxt.CrawlDelay:
		return map[string]any{"seconds": r.Delay.Seconds()}
	case robotstxt.RequestRate:
		return map[string]any{"requests": r.Requests, "seconds": int(r.Per / time.Second), "during": newJSONRecord(r.During)}
	case robotstxt.VisitTime:
		return map[string]any{"from": r.From.String(), "to": r.To.String()}
	case robotstxt.Host:
		return map[string]any{"host": r.Host}
	case robotstxt.CleanParam:
		return map[string]any{"params": r.Params, "path": r.Path}
	case robotstxt.Noindex:
		return map[string]any{"pattern": r.Pattern}
	case robotstxt.ContentSignal:
		signals := []any{}
		for _, s := range r.Signals {
			signals = append(signals, map[string]any{"name": s.Name, "allowed": s.Allowed})
		}
		return map[string]any{"signals": signals}
	case robotstxt.ContentUsage:
		preferences := []any{}
		for _, p := range r.Preferences {
			preferences = append(preferences, map[string]any{"name": p.Name, "value": p.Value})
		}
		return map[string]any{"path": r.Path, "preferences": preferences}
	case robotstxt.Text:
		return map[string]any{"text": r.Value}
	}
	return nil
}
