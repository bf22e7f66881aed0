package redis

import (
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/redis/rueidis"
)

// errURL shows nothing of the URL: where it is malformed, any part of it may be
// one of the password.
var errURL = errors.New("redis: malformed URL, expected redis://user:password@host:port/db " +
	`with "%"-escapes for what is special in a password (the URL is not shown, since it may hold one)`)

// parameters are those that rueidis.ParseURL reads. It passes over others, and
// so over a password with a "?".
var parameters = []string{
	"addr", "client_cache", "client_name", "db", "dial_timeout", "master_set", "max_retries", "protocol",
	"skip_verify", "write_timeout",
}

// connectTimeout is how long connecting, and a connection that does not answer, is
// waited for in the background.
const connectTimeout = time.Second

func parseURL(text string) (rueidis.ClientOption, error) {
	option, err := rueidis.ParseURL(text)
	if err != nil || !wellFormed(text) {
		return rueidis.ClientOption{}, errURL
	}
	option.DisableCache = true // the records are in the memory of the cache already
	option.DisableRetry = true // it would retry until a dead server is back
	option.PipelineMultiplex = -1
	if option.Dialer.Timeout <= 0 {
		option.Dialer.Timeout = connectTimeout
	}
	if option.ConnWriteTimeout <= 0 {
		option.ConnWriteTimeout = connectTimeout
	}
	return option, nil
}

func wellFormed(text string) bool {
	u, err := url.Parse(text)
	if err != nil || strings.Contains(text, "#") || strings.Contains(u.Host, ",") || (u.Scheme == "unix") == (u.Host != "") {
		return false
	}
	query, err := url.ParseQuery(u.RawQuery)
	for name := range query {
		if !slices.Contains(parameters, name) {
			return false
		}
	}
	return err == nil
}
