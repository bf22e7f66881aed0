package identity

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/heed-robots/heed/origin"
)

// A component is a part of a message that a signature covers (RFC 9421, 2).
type component struct {
	name string // the name of the component, such as "@authority" or "signature-agent"
	// If the signature covers only one member of a dictionary, key is the key of this member. In all other cases,
	// key is "".
	key string
}

func (c component) String() string {
	if c.key != "" {
		return fmt.Sprintf("%q;key=%q", c.name, c.key)
	}
	return fmt.Sprintf("%q", c.name)
}

func signatureInput(covered []component, parameters string) string {
	var names []string
	for _, c := range covered {
		names = append(names, c.String())
	}
	return "(" + strings.Join(names, " ") + ")" + parameters
}

// signatureBase returns the text that is signed (RFC 9421, 2.5).
func signatureBase(covered []component, input string, componentValue func(component) string) string {
	var b strings.Builder
	for _, c := range covered {
		fmt.Fprintf(&b, "%s: %s\n", c, componentValue(c))
	}
	b.WriteString(`"@signature-params": ` + input)
	return b.String()
}

// valueOf returns the value of a component (RFC 9421, 2.1 and 2.2). The request must be one that checkRequest accepts.
func valueOf(r *http.Request, c component, memberValue string) string {
	switch c.name {
	case "@authority":
		return r.Host
	case "@scheme":
		return r.URL.Scheme
	case "@method":
		return r.Method
	case "@path":
		return cmp.Or(r.URL.EscapedPath(), "/")
	case "@query":
		return "?" + r.URL.RawQuery
	}
	if c.key != "" {
		return memberValue
	}
	var values []string
	for _, v := range r.Header.Values(c.name) {
		values = append(values, strings.TrimSpace(v))
	}
	return strings.Join(values, ", ")
}

// checkRequest returns the origin of a request, or why it must not be signed. It also normalizes Host (RFC 9421, 2.2.3).
func checkRequest(r *http.Request) (origin.Origin, error) {
	switch {
	case r.URL == nil || r.Header == nil:
		return origin.Origin{}, errors.New("identity: the URL or the Header of the request is nil: set both")
	case r.URL.Opaque != "":
		return origin.Origin{}, errors.New("identity: the URL of the request has the field Opaque, so the request could be sent to another URL than the signed one: leave Opaque empty")
	}
	o, err := origin.Parse(r.URL.Scheme + "://" + cmp.Or(r.Host, r.URL.Host))
	if err != nil {
		return o, fmt.Errorf("identity: the host of the request cannot be used: %w", err)
	}
	r.Host = o.Authority()
	return o, nil
}
