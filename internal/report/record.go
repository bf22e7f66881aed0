package report

import (
	"time"

	"github.com/heed-robots/heed/robotstxt/record"
)

// recordFields returns the value of a record as a JSON object, nil for no record. Durations
// are in seconds; times of day are as written, such as "0845".
func recordFields(r record.Value) any {
	switch r := r.(type) {
	case record.Sitemap:
		return map[string]any{"url": r.URL}
	case record.License:
		return map[string]any{"url": r.URL}
	case record.CrawlDelay:
		return map[string]any{"seconds": r.Delay.Seconds()}
	case record.RequestRate:
		return map[string]any{"requests": r.Requests, "seconds": int(r.Per / time.Second), "during": recordFields(r.During)}
	case record.VisitTime:
		return map[string]any{"from": r.From.String(), "to": r.To.String()}
	case record.Host:
		return map[string]any{"host": r.Host}
	case record.CleanParam:
		return withUnread(map[string]any{"params": r.Params, "path": r.Path}, r.Unread)
	case record.Noindex:
		return map[string]any{"pattern": r.Pattern}
	case record.ContentSignal:
		signals := []any{}
		for _, s := range r.Signals {
			signals = append(signals, map[string]any{"name": s.Name, "value": s.Value, "known": s.Known})
		}
		return withUnread(map[string]any{"signals": signals}, r.Unread)
	case record.ContentUsage:
		preferences := []any{}
		for _, p := range r.Preferences {
			preferences = append(preferences, map[string]any{"name": p.Name, "value": p.Value})
		}
		return withUnread(map[string]any{"path": r.Path, "preferences": preferences}, r.Unread)
	case record.Text:
		return map[string]any{"text": r.Value}
	}
	return nil
}

// withUnread adds the members of a list that could not be read, if there are any.
func withUnread(fields map[string]any, members []string) any {
	if len(members) > 0 {
		fields["unread"] = members
	}
	return fields
}
