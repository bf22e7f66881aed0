package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"

	"github.com/heed-robots/heed/cmd/heed/internal/message"
)

// theDocument returns the OpenAPI document, read once.
var theDocument = sync.OnceValues(func() (*openapi3.T, error) {
	return openapi3.NewLoader().LoadFromData(openAPIDocument("v1.2.3"))
})

func init() {
	openapi3filter.RegisterBodyDecoder("text/event-stream", openapi3filter.PlainBodyDecoder)
	openapi3filter.RegisterBodyDecoder("application/http-message-signatures-directory+json", openapi3filter.PlainBodyDecoder)
}

// The document is valid, and has the same methods as routes.
func TestOpenAPIHasAllMethods(t *testing.T) {
	document, err := theDocument()
	if err == nil {
		err = document.Validate(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	if document.Info.Version != "v1.2.3" {
		t.Errorf("version %q", document.Info.Version)
	}
	var described []string
	for path, item := range document.Paths.Map() {
		for method, o := range item.Operations() {
			described = append(described, method+" "+path)
			if o.Summary == "" || o.OperationID == "" || len(o.Tags) != 1 {
				t.Errorf("%s %s: no summary, operationId or tag", method, path)
			}
		}
	}
	for _, r := range routes {
		if !slices.Contains(described, r.pattern) {
			t.Errorf("openapi.json does not have %s", r.pattern)
		}
	}
	for _, pattern := range described {
		if !slices.ContainsFunc(routes, func(r route) bool { return r.pattern == pattern }) {
			t.Errorf("openapi.json has %s, which is no route", pattern)
		}
	}
}

// The document is served, with the version of Heed.
func TestOpenAPIIsServed(t *testing.T) {
	status, document := ask(t, "GET", start(t, &Server{Version: "v9.8.7"})+"/v1/openapi.json", "")
	if info, _ := document["info"].(map[string]any); status != 200 || info["version"] != "v9.8.7" || document["openapi"] != "3.1.0" {
		t.Errorf("%d %v", status, document["info"])
	}
}

// Each component of the document is used, and each member that a schema requires or refuses is described.
func TestOpenAPIHasNoLooseEnds(t *testing.T) {
	text := openAPIDocument("v1")
	var document struct {
		Components map[string]map[string]any
		Paths      any
	}
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	for kind, all := range document.Components {
		for name := range all {
			if kind != "securitySchemes" && !bytes.Contains(text, []byte(`"#/components/`+kind+`/`+name+`"`)) {
				t.Errorf("no part of openapi.json uses %s/%s", kind, name)
			}
		}
	}
	for _, name := range append(undescribed(document.Paths, nil), undescribed(document.Components["schemas"], nil)...) {
		t.Errorf("%q is required and has no schema", name)
	}
}

// undescribed returns the names in "required" that are not in "properties" of the same schema, or of the schema around an
// "anyOf" or "oneOf".
func undescribed(value any, properties map[string]any) (names []string) {
	switch value := value.(type) {
	case []any:
		for _, each := range value {
			names = append(names, undescribed(each, properties)...)
		}
	case map[string]any:
		if own, ok := value["properties"].(map[string]any); ok {
			properties = own
		}
		for key, each := range value {
			if key == "not" {
				names = append(names, undescribed(each, nil)...)
			} else {
				names = append(names, undescribed(each, properties)...)
			}
		}
		required, _ := value["required"].([]any)
		for _, name := range required {
			if name := name.(string); properties[name] == nil {
				names = append(names, name)
			}
		}
	}
	return names
}

// validated fails the test if a request that is answered, or a response, is not as the OpenAPI
// document says.
func validated(t *testing.T, h http.Handler) http.Handler {
	t.Helper()
	document, err := theDocument()
	if err != nil {
		t.Fatal(err)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path := document.Paths.Value(r.URL.Path)
		if path == nil || path.GetOperation(r.Method) == nil {
			h.ServeHTTP(w, r)
			return
		}
		e := &exchange{ResponseWriter: w, body: r.Body, status: http.StatusOK}
		r.Body = e
		h.ServeHTTP(&responseOf{e}, r)
		route := &routers.Route{Spec: document, Path: r.URL.Path, PathItem: path, Method: r.Method, Operation: path.GetOperation(r.Method)}
		if err := e.validate(route, r); err != nil {
			t.Errorf("%s %s: status %d: not as in openapi.json: %v", r.Method, r.URL, e.status, err)
		}
	})
}

// An exchange is a request and its response.
type exchange struct {
	http.ResponseWriter
	body           io.ReadCloser
	sent, answered head
	status         int
}

// A head is the first bytes of a body.
type head struct {
	sync.Mutex // a stream reads and writes at the same time
	bytes.Buffer
}

const maxHead = 1 << 20

func (h *head) add(b []byte) {
	h.Lock()
	defer h.Unlock()
	h.Write(b[:min(len(b), maxHead-h.Len())])
}

// Read reads the body of the request.
func (e *exchange) Read(b []byte) (int, error) {
	n, err := e.body.Read(b)
	e.sent.add(b[:n])
	return n, err
}

func (e *exchange) Close() error { return e.body.Close() }

// A responseOf is the response of an exchange.
type responseOf struct{ *exchange }

func (r *responseOf) Unwrap() http.ResponseWriter { return r.ResponseWriter }

func (r *responseOf) WriteHeader(status int) {
	if status >= 200 {
		r.status = status
	}
	r.ResponseWriter.WriteHeader(status)
}

func (r *responseOf) Write(b []byte) (int, error) {
	r.answered.add(b)
	return r.ResponseWriter.Write(b)
}

// validate returns what is not as in the document.
func (e *exchange) validate(route *routers.Route, r *http.Request) error {
	e.sent.Lock()
	defer e.sent.Unlock()
	e.answered.Lock()
	defer e.answered.Unlock()
	r = r.Clone(r.Context())
	r.Body = io.NopCloser(bytes.NewReader(e.sent.Bytes()))
	isStream := route.Method+" "+route.Path == "POST /v1/check"
	if !isStream {
		r.Header.Set("Content-Type", "application/json") // clients may leave it out
	}
	request := &openapi3filter.RequestValidationInput{Request: r, Route: route, Options: &openapi3filter.Options{
		AuthenticationFunc:    openapi3filter.NoopAuthenticationFunc,
		IncludeResponseStatus: true,
		ExcludeRequestBody:    isStream,
		ExcludeResponseBody:   isStream && e.status == http.StatusOK || route.Path == "/metrics",
	}}
	var errs []error
	if e.status < 300 && e.sent.Len() < maxHead {
		errs = append(errs, openapi3filter.ValidateRequest(r.Context(), request), onlyKnown(r, route.Operation))
	}
	if e.answered.Len() < maxHead {
		errs = append(errs, openapi3filter.ValidateResponse(r.Context(), &openapi3filter.ResponseValidationInput{
			RequestValidationInput: request, Status: e.status, Header: e.Header(), Body: io.NopCloser(bytes.NewReader(e.answered.Bytes())), Options: request.Options,
		}))
	}
	if isStream && e.status == http.StatusOK {
		errs = append(errs, validateRows(route.Spec, e.answered.Bytes()))
	}
	return errors.Join(errs...)
}

// onlyKnown returns an error for a parameter that the document does not have.
func onlyKnown(r *http.Request, o *openapi3.Operation) error {
	for name := range r.URL.Query() {
		if o.Parameters.GetByInAndName("query", name) == nil {
			return fmt.Errorf("the parameter %q", name)
		}
	}
	return nil
}

// validateRows returns what is not as in the document in the first rows of a stream.
func validateRows(document *openapi3.T, rows []byte) error {
	const enough = 20 // more would take long
	answer, failure := document.Components.Schemas["StreamAnswer"].Value, document.Components.Schemas["Error"].Value
	for i, row := range bytes.SplitAfterN(rows, []byte("\n"), enough+1) {
		if i == enough || !bytes.HasSuffix(row, []byte("\n")) {
			break
		}
		var value map[string]any
		if err := json.Unmarshal(row, &value); err != nil {
			return err
		}
		schema := answer
		if len(value) == 1 {
			schema = failure
		}
		if err := schema.VisitJSON(value, openapi3.EnableJSONSchema2020()); err != nil {
			return fmt.Errorf("row %d: %w: %s", i+1, err, strings.TrimSpace(string(row)))
		}
	}
	return nil
}

// The validation fails for an unknown member, an unknown parameter, an unknown status, and a
// member of the wrong type.
func TestOpenAPIValidationFails(t *testing.T) {
	document, err := theDocument()
	if err != nil {
		t.Fatal(err)
	}
	const good = `{"url":"https://a.example/","allowed":true,"reason":"no-group","provenance":{"dialect":"rfc9309","heed":"v1"},"decision":"x"}`
	for _, c := range []struct {
		url    string
		status int
		body   string
		want   string // in the error; "": there is none
	}{
		{"/v1/check?agent=a&url=b", 200, good, ""},
		{"/v1/check?agent=a&agent=b&url=b&dialect=google", 200, good, ""},
		{"/v1/check?url=b", 400, `{"error":"x"}`, ""},
		{"/v1/check?url=b", 200, good, "agent"},
		{"/v1/check?agent=a&url=b&agnt=c", 200, good, `"agnt"`},
		{"/v1/check?agent=a&url=b&dialect=rfc", 200, good, "dialect"},
		{"/v1/check?agent=a&url=b", 418, `{"error":"x"}`, "status"},
		{"/v1/check?agent=a&url=b", 200, strings.Replace(good, `"url"`, `"uri":"","url"`, 1), "uri"},
		{"/v1/check?agent=a&url=b", 200, strings.Replace(good, `true`, `1`, 1), "boolean"},
		{"/v1/check?agent=a&url=b", 200, strings.Replace(good, `no-group`, `no-grp`, 1), "reason"},
		{"/v1/check?agent=a&url=b", 200, strings.Replace(good, `"x"}`, `"x","site":{"origin":"","outcome":"rules","age_seconds":0,"stale":false,"x":1}}`, 1), "x"},
		{"/v1/check?agent=a&url=b", 200, strings.Replace(good, `"x"}`, `"x","site":{"outcome":"rules","age_seconds":0,"stale":false}}`, 1), "origin"},
	} {
		r, err := http.NewRequest("GET", c.url, nil)
		if err != nil {
			t.Fatal(err)
		}
		path := document.Paths.Value(r.URL.Path)
		e := &exchange{ResponseWriter: headersOnly{"Content-Type": message.JsonType}, status: c.status}
		e.answered.WriteString(c.body)
		err = e.validate(&routers.Route{Spec: document, Path: r.URL.Path, PathItem: path, Method: "GET", Operation: path.Get}, r)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %d %s: %v, want %q", c.url, c.status, c.body, err, c.want)
		}
	}
}

// headersOnly is a response with headers and no body.
type headersOnly http.Header

func (h headersOnly) Header() http.Header         { return http.Header(h) }
func (h headersOnly) Write(b []byte) (int, error) { return len(b), nil }
func (h headersOnly) WriteHeader(int)             {}
