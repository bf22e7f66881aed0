package accesslog

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/heed-robots/heed/internal/jsonobject"
)

// A Field is a part of an Entry.
type Field uint8

const (
	Time Field = iota
	Address
	Forwarded
	Scheme
	Host
	Method
	Target
	Status
	Agent
	secure // a member that exists only if the connection had TLS
	plain  // a member that exists for each connection; if secure is missing, there was no TLS

	fieldCount
)

var fieldNames = [...]string{"time", "address", "forwarded", "scheme", "host", "method", "target", "status", "agent"}

func FieldNames() []string { return fieldNames[:] }

// knownNames are the usual names of members (sources: docs/audit.md). The first name in a list has priority.
var knownNames = [fieldCount][]string{
	Time: {"EdgeStartTimestamp", "StartUTC", "proxy.timestamp", "time_iso8601", "time_local", "msec", "@timestamp", "timestamp", "time",
		"ts", "datetime", "start_time", "startTime", "timestampInMs", "date"},
	Address: {"ClientIP", "request.client_ip", "request.remote_ip", "ClientHost", "proxy.clientIp", "httpRequest.remoteIp", "remote_addr",
		"remote_ip", "client_ip", "clientip", "clientIp", "address", "remote_host", "c_ip", "ip", "client"},
	Forwarded: {"http_x_forwarded_for", "x_forwarded_for", "forwarded", "request.headers.X-Forwarded-For", "request_X-Forwarded-For", "XForwardedFor"},
	Scheme:    {"ClientRequestScheme", "RequestScheme", "proxy.scheme", "scheme"},
	Host:      {"ClientRequestHost", "request.host", "RequestHost", "proxy.host", "http_host", "host", "vhost", "request_host", "server_name"},
	Method:    {"ClientRequestMethod", "request.method", "RequestMethod", "proxy.method", "httpRequest.requestMethod", "request_method", "method", "verb"},
	Target: {"ClientRequestURI", "request.uri", "RequestPath", "proxy.path", "httpRequest.requestUrl", "request_uri", "uri", "target", "url",
		"path", "request"},
	Status: {"EdgeResponseStatus", "DownstreamStatus", "proxy.statusCode", "httpRequest.status", "status", "status_code", "statusCode", "response"},
	Agent: {"ClientRequestUserAgent", "request.headers.User-Agent", "request_User-Agent", "proxy.userAgent", "httpRequest.userAgent",
		"http_user_agent", "user_agent", "userAgent", "useragent", "agent", "request_user_agent"},
	secure: {"request.tls.version"},
	plain:  {"request.proto"},
}

// Fields are the user's names of members for each Field. The first name in a list has priority.
type Fields [fieldCount][]string

// ParseFields reads names such as "time=ts,address=client.ip,agent=headers.user-agent".
func ParseFields(text string) (f Fields, err error) {
	for part := range strings.SplitSeq(text, ",") {
		field, name, ok := strings.Cut(part, "=")
		i := slices.Index(fieldNames[:], strings.TrimSpace(field))
		if name = strings.TrimSpace(name); !ok || i < 0 || name == "" {
			return f, fmt.Errorf("%q: expected FIELD=NAME, such as time=ts, where FIELD is one of %s", part, strings.Join(fieldNames[:], ", "))
		}
		f[i] = append(f[i], name)
	}
	return f, nil
}

// If a line has several members for the same field, the one with the lowest rank is used.
type place struct {
	field Field
	rank  int
}

type jsonFormat struct {
	places  map[string]place // the keys are paths of members, such as "request.host"
	objects map[string]bool  // the paths of the objects that have such members
}

func jsonLines(memberNames *Fields) *Format {
	j := &jsonFormat{places: map[string]place{}, objects: map[string]bool{}}
	for field := range fieldCount {
		for rank, name := range slices.Concat(memberNames[field], knownNames[field]) {
			if _, ok := j.places[name]; ok && rank >= len(memberNames[field]) {
				continue
			}
			j.places[name] = place{field, rank}
			for i := range name {
				if name[i] == '.' {
					j.objects[name[:i]] = true
				}
			}
		}
	}
	return &Format{Name: "JSON lines", read: j.read}
}

var errMembers = errors.New("heed finds no time in the object; if the time is in a member with another name, use --fields time=NAME")

func (j *jsonFormat) read(line string, e *Entry) error {
	var found [fieldCount]string // as JSON
	var ranks [fieldCount]int
	enters := func(path string) bool { return j.objects[path] }
	err := jsonobject.EachPath(line, enters, func(path, value string) error {
		p, ok := j.places[path]
		if ok && value[0] != '{' && value != "null" && (found[p.field] == "" || p.rank < ranks[p.field]) {
			found[p.field], ranks[p.field] = value, p.rank
		}
		return nil
	})
	if err != nil {
		return err
	}
	at, ok := anyTime(textOf(found[Time]))
	if !ok {
		return errMembers
	}
	e.Time = at
	e.Address, e.Forwarded = withoutPort(textOf(found[Address])), emptyIfDash(textOf(found[Forwarded]))
	e.Method, e.Target = textOf(found[Method]), textOf(found[Target])
	if e.Method == "" && !strings.HasPrefix(e.Target, "/") && !isURL(e.Target) { // the target is the whole first line of the request
		request := e.Target
		e.Target = ""
		e.setRequest(request)
	}
	e.setHost(textOf(found[Host]))
	switch scheme := strings.ToLower(textOf(found[Scheme])); {
	case scheme == "http" || scheme == "https":
		e.Scheme = scheme
	case found[secure] != "":
		e.Scheme = "https"
	case found[plain] != "":
		e.Scheme = "http"
	}
	if status := textOf(found[Status]); status != "" {
		e.Status = statusOf(status)
	}
	if e.Status < 0 {
		return errStatus
	}
	e.Agent = emptyIfDash(textOf(found[Agent]))
	return nil
}

// A string may be in a list. For example, Caddy writes headers as lists. Then textOf returns the
// first string.
func textOf(value string) string {
	switch {
	case value == "":
		return ""
	case value[0] == '"':
		text, err := jsonobject.String(value)
		if err != nil {
			return ""
		}
		return text
	case value[0] == '[':
		all, err := jsonobject.Strings(value)
		if err != nil {
			return ""
		}
		return all[0]
	}
	return value
}

// A target may also be a whole request line, such as "GET / HTTP/1.1".
func isURL(target string) bool {
	scheme, _, ok := strings.Cut(target, "://")
	return ok && !strings.ContainsAny(scheme, " /?")
}
