package crawlers

import (
	"net/url"
	"testing"
	"time"
)

func TestIsAddress(t *testing.T) {
	for _, s := range []string{
		"https://example.com/bot", "http://example.com", "https://example.com:8080/a?b#c", "https://[::1]/a", "https://example.com/a%20b",
		"", "https", "https://", "https:///a", "example.com/bot", "//example.com/a", "ftp://example.com/a", "https:example.com",
		"https://example.com/a\nb", "https://example.com/a\x7f", "mailto:a@example.com",
	} {
		u, err := url.Parse(s)
		if want := err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != ""; isAddress(s) != want {
			t.Errorf("isAddress(%q) is %v, net/url says %v", s, !want, want)
		}
	}
	if isAddress("https://example.com/a b") {
		t.Error("an address with a space")
	}
}

func TestIsDay(t *testing.T) {
	for _, s := range []string{
		"2026-11-21", "0001-01-01", "2026-12-31", "2026-10-09",
		"", "2026-11-2", "2026-11-021", "2026-1-021", "2026/11/21", "2026-00-01", "2026-13-01", "2026-01-00", "2026-01-32", "2026-1a-01",
		"20-26-1121", "2026-11-2 ", "+026-11-21", "2026-11--1",
	} {
		_, err := time.Parse(time.DateOnly, s)
		if isDay(s) != (err == nil) {
			t.Errorf("isDay(%q) is %v, time says %v", s, isDay(s), err)
		}
	}
}
