package redis

import (
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/redis/rueidis"
)

// errURL does not contain the URL, because any part of the URL may be a part of the password.
var errURL = errors.New("redis: malformed URL, expected redis://user:password@host:port/db " +
	`with %-escapes for special characters in the password (the URL is not shown, since it may contain a password)`)

// parameters are the parameters that rueidis.ParseURL knows. Any other parameter is an error, because it may come from a
// password with a "?".
var parameters = []string{
	"addr", "client_cache", "client_name", "db", "dial_timeout", "master_set", "max_retries", "protocol",
	"skip_verify", "write_timeout",
}

// connectTimeout is the timeout of connecting, of writing, and of a probe while the server is down.
const connectTimeout = time.Second

func parseURL(text string) (rueidis.ClientOption, error) {
	option, err := rueidis.ParseURL(text)
	if err != nil || !wellFormed(text) {
		return rueidis.ClientOption{}, errURL
	}
	option.DisableCache = true // rueidis need not cache records, because they are in the memory of the Cache already
	option.DisableRetry = true // otherwise rueidis would repeat a call until the server is up
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
	if err != nil || u.Opaque != "" || strings.Contains(text, "#") || strings.Contains(u.Host, ",") || (u.Scheme == "unix") == (u.Host != "") {
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
