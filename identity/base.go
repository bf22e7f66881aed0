package identity

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// A component is what a signature covers of a message (RFC 9421, 2).
type component struct {
	name string // such as "@authority" or "signature-agent"
	key  string // of a member of a dictionary; "": the whole value
}

// String returns the component as an item of a structured field.
func (c component) String() string {
	if c.key != "" {
		return fmt.Sprintf("%q;key=%q", c.name, c.key)
	}
	return fmt.Sprintf("%q", c.name)
}

// inputOf returns the value of a member of Signature-Input: the components and the parameters, which begin with ";".
func inputOf(covered []component, parameters string) string {
	var names []string
	for _, c := range covered {
		names = append(names, c.String())
	}
	return "(" + strings.Join(names, " ") + ")" + parameters
}

// baseOf returns the signature base (RFC 9421, 2.5). value returns what a component of the message is.
func baseOf(covered []component, input string, value func(component) string) string {
	var b strings.Builder
	for _, c := range covered {
		fmt.Fprintf(&b, "%s: %s\n", c, value(c))
	}
	b.WriteString(`"@signature-params": ` + input)
	return b.String()
}

// valueOf returns what a component of a request is (RFC 9421, 2.1 and 2.2). member has the members of dictionaries.
func valueOf(r *http.Request, c component, member string) string {
	switch c.name {
	case "@authority":
		return authorityOf(r)
	case "@method":
		return r.Method
	case "@path":
		return pathOf(r.URL)
	case "@query":
		return "?" + r.URL.RawQuery
	}
	if c.key != "" {
		return member
	}
	var values []string
	for _, v := range r.Header.Values(c.name) {
		values = append(values, strings.TrimSpace(v))
	}
	return strings.Join(values, ", ")
}

// pathOf returns the path of a request, at least "/".
func pathOf(u *url.URL) string {
	if path := u.EscapedPath(); path != "" {
		return path
	}
	return "/"
}

// defaultPorts are left out of an authority.
var defaultPorts = map[string]string{"http": "80", "https": "443"}

// authorityOf returns the host of a request in lower case, with the port unless it is the scheme's default (RFC 9421, 2.2.3).
func authorityOf(r *http.Request) string {
	host := r.Host
	if host == "" {
		host = r.URL.Host
	}
	host = strings.ToLower(host)
	scheme := cmp.Or(r.URL.Scheme, "https") // a server that serves a directory is behind https (SG-1)
	if bare, is := strings.CutSuffix(host, ":"+defaultPorts[scheme]); is && !strings.HasSuffix(bare, ":") {
		return bare
	}
	return strings.TrimSuffix(host, ":")
}
