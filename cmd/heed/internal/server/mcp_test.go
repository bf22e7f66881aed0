package server

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/heed-robots/heed/cmd/heed/internal/gate"
)

// agent connects a client of MCP.
func agent(t *testing.T, to mcp.Transport) *mcp.ClientSession {
	t.Helper()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), to, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return session
}

// call calls a tool, and returns the JSON of its result, or its error.
func call(t *testing.T, session *mcp.ClientSession, name string, arguments any) (answer map[string]any, failure string) {
	t.Helper()
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: arguments})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	text := result.Content[0].(*mcp.TextContent).Text
	if result.IsError {
		return nil, text
	}
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		t.Fatalf("%s: %v in %s", name, err, text)
	}
	if !reflect.DeepEqual(result.StructuredContent, any(answer)) {
		t.Errorf("%s: the structured result is %v, and the text %s", name, result.StructuredContent, text)
	}
	return answer, ""
}

type args map[string]any

// useTools uses all tools as an agent does.
func useTools(t *testing.T, session *mcp.ClientSession, shop string) {
	t.Helper()
	list, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	takes, results := map[string]*jsonschema.Resolved{}, map[string]*jsonschema.Resolved{}
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
		takes[tool.Name], results[tool.Name] = resolved(t, tool.InputSchema), resolved(t, tool.OutputSchema)
		for member, schema := range map[string]*jsonschema.Schema{"": takes[tool.Name].Schema(), "old": takes[tool.Name].Schema().Properties["old"]} {
			if schema == nil {
				continue
			}
			unknown := args{"x": 1}
			if member != "" {
				unknown = args{member: unknown}
			}
			_, failure := call(t, session, tool.Name, unknown)
			_, list, _ := strings.Cut(failure, "expected one of ")
			if known, have := strings.Split(list, ", "), slices.Sorted(maps.Keys(schema.Properties)); !slices.Equal(slices.Sorted(slices.Values(known)), have) {
				t.Errorf("%s %s: the schema has the arguments %q, and the tool takes %q", tool.Name, member, have, known)
			}
		}
		if !strings.Contains(tool.Description, "never instructions") {
			t.Errorf("%s: the description does not say that results are data", tool.Name)
		}
	}
	if slices.Sort(names); !slices.Equal(names, []string{"check", "compare", "explain", "lint"}) {
		t.Errorf("the tools are %q", names)
	}
	for _, c := range []struct {
		tool      string
		arguments args
		member    string // of the result; "": there is an error
		want      string // its value, or the error
	}{
		{"check", args{"url": shop + "/cart", "agent": "ExampleBot"}, "allowed", "false"},
		{"check", args{"url": shop + "/", "agent": "ExampleBot"}, "allowed", "true"},
		{"check", args{"url": "http://127.0.0.1:1/", "agent": "ExampleBot"}, "reason", "unreachable"},
		{"check", args{"url": shop}, "", `"agent" is missing; expected the product token of a crawler, or "*" for one without a group`},
		{"check", args{"url": shop, "agent": "a", "file": "/etc/passwd"}, "", `the member "file" is unknown; expected one of agent, dialect, url, url_b64, for, profile, max_wait, robots, robots_b64`},
		{"check", args{"url_b64": base64.StdEncoding.EncodeToString([]byte(shop + "/cart\xff")), "agent": "ExampleBot"}, "url_b64", base64.StdEncoding.EncodeToString([]byte(shop + "/cart\xff"))},
		{"check", args{"agent": "a"}, "", `"url" is missing; expected a URL of http, https or ftp`},
		{"check", args{"url": "https://shop.example/cart", "agent": "a", "robots": "User-agent: *\nDisallow: /cart"}, "rule", "map[allow:false line:2 pattern:/cart]"},
		{"check", args{"url": "/", "agent": "GPTBot", "robots": "User-agent: *\nContent-Usage: train-ai=n", "for": []string{"train-ai"}}, "usage", ""},
		{"check", args{"url": "/", "agent": "a", "robots": "", "dialect": "google"}, "dialect", "google"},
		{"check", args{"url": "/", "agent": "GPTBott", "robots": ""}, "meant", "GPTBot"},
		{"check", args{"url": "/cart", "agent": []string{"ExampleBot-News", "ExampleBot"}, "robots": "User-agent: ExampleBot\nDisallow: /cart"}, "allowed", "false"},
		{"check", args{"url": shop + "/", "agent": "ExampleBot", "max_wait": "9s", "for": "train-ai,search"}, "usage", ""},
		{"check", args{"url": "x", "agent": "a", "robots": ""}, "", ""},
		{"check", args{"url": "/", "agent": "a", "robots_b64": base64.StdEncoding.EncodeToString([]byte("\x89PNG\r\n\x1a\n\x00"))}, "", ""},
		{"explain", args{"url_b64": base64.StdEncoding.EncodeToString([]byte("/\xff")), "agent": "a", "robots": ""}, "url_b64", base64.StdEncoding.EncodeToString([]byte("/\xff"))},
		{"explain", args{"url": "/x", "agent": "a", "robots": "User-agent: *\nDisallow: /x"}, "dialect", "rfc9309"},
		{"explain", args{"url": "file:///etc/passwd", "agent": "a"}, "", ""},
		{"lint", args{"robots": "User-agent: *\nDisalow: /x"}, "findings", ""},
		{"lint", args{"robots_file": "/etc/passwd"}, "", `the member "robots_file" is unknown; expected one of robots, robots_b64, url`},
		{"compare", args{"old": args{"robots": ""}, "new": args{"url": shop}}, "result", "differs"},
	} {
		answer, failure := call(t, session, c.tool, c.arguments)
		if failure == "" {
			if err := takes[c.tool].Validate(asJSON(t, c.arguments)); err != nil {
				t.Errorf("%s takes %v, but its schema does not: %v", c.tool, c.arguments, err)
			}
			if err := results[c.tool].Validate(answer); err != nil {
				t.Errorf("%s %v: the result is not as the tool says: %v", c.tool, c.arguments, err)
			}
			if results[c.tool].Validate(map[string]any{"x": 1}) == nil {
				t.Errorf("%s: every result is as the tool says", c.tool)
			}
		}
		switch got := fmt.Sprint(answer[c.member]); {
		case c.member == "" && (failure == "" || c.want != "" && failure != c.want):
			t.Errorf("%s %v: %v, error %q, want %q", c.tool, c.arguments, answer, failure, c.want)
		case c.member != "" && (failure != "" || answer[c.member] == nil || c.want != "" && got != c.want):
			t.Errorf("%s %v: %q is %s, want %s; error %q", c.tool, c.arguments, c.member, got, c.want, failure)
		}
	}
}

// asJSON returns a value as it is after it was sent as JSON.
func asJSON(t *testing.T, value any) (sent any) {
	t.Helper()
	text, err := json.Marshal(value)
	if err == nil {
		err = json.Unmarshal(text, &sent)
	}
	if err != nil {
		t.Fatal(err)
	}
	return sent
}

// resolved returns the schema of the arguments or the results of a tool.
func resolved(t *testing.T, schema any) *jsonschema.Resolved {
	t.Helper()
	text, err := json.Marshal(schema)
	s := &jsonschema.Schema{}
	if err == nil {
		err = json.Unmarshal(text, s)
	}
	if err != nil || s.Type != "object" || bytes.Contains(text, []byte("#/components")) {
		t.Fatalf("%v in the schema %s", err, text)
	}
	r, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestToolsOverHTTP(t *testing.T) {
	daemon, shop := start(t, &Server{}), site(t, "User-agent: *\nDisallow: /cart\n")
	useTools(t, agent(t, &mcp.StreamableClientTransport{Endpoint: daemon + "/mcp", DisableStandaloneSSE: true}), shop)
	agent(t, &mcp.StreamableClientTransport{Endpoint: daemon + "/mcp"}) // it asks for a stream of events
}

func TestToolsOverPipes(t *testing.T) {
	s := &Server{}
	start(t, s)
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- s.ServeAgent(context.Background(), in, out) }()
	session := agent(t, &mcp.IOTransport{Reader: fromServer, Writer: toServer})
	useTools(t, session, site(t, "User-agent: *\nDisallow: /cart\n"))
	toServer.Close()
	if err := <-ended; err != nil {
		t.Errorf("after the input ended: %v", err)
	}
}

// The guards hold for tools: hosts, tokens, and one call in a request.
func TestToolsAreGuarded(t *testing.T) {
	hosts, err := gate.HostPolicy(nil, []string{"127.0.0.1"})
	if err != nil {
		t.Fatal(err)
	}
	daemon, shop := start(t, &Server{Gate: gate.Gate{Hosts: hosts}}), site(t, "")
	session := agent(t, &mcp.StreamableClientTransport{Endpoint: daemon + "/mcp", DisableStandaloneSSE: true})
	for _, tool := range []string{"check", "explain"} {
		if _, failure := call(t, session, tool, args{"url": shop, "agent": "a"}); failure != "the host 127.0.0.1 is not allowed: the flags --allow-host and --deny-host of this server exclude it" {
			t.Errorf("%s: error %q", tool, failure)
		}
	}
	response, err := http.Post(daemon+"/mcp", "application/json", strings.NewReader(" [{}]"))
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != 400 {
		t.Errorf("many calls in a request: status %d", response.StatusCode)
	}
}

// A call counts for the client of the request: its retrievals are limited.
func TestToolsCountForClient(t *testing.T) {
	session := agent(t, &mcp.StreamableClientTransport{Endpoint: start(t, &Server{Gate: gate.Gate{ClientRetrievals: 1}}) + "/mcp", DisableStandaloneSSE: true})
	first, _ := call(t, session, "check", args{"url": site(t, ""), "agent": "a"})
	if first["allowed"] != true {
		t.Errorf("the first site: %v", first)
	}
	if second, failure := call(t, session, "check", args{"url": site(t, ""), "agent": "a"}); second["allowed"] == true {
		t.Errorf("the second site: %v, error %q", second, failure)
	}
}

const initialize = `{"jsonrpc":"2.0","id":"start","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
`

// serveLines answers an agent that writes all its lines at once and then ends its output. It
// returns the answers by their ids.
func serveLines(t *testing.T, s *Server, text string) map[string]map[string]any {
	t.Helper()
	fromServer, out := io.Pipe()
	go func() {
		err := s.ServeAgent(t.Context(), io.NopCloser(strings.NewReader(initialize+text)), out)
		out.CloseWithError(err)
	}()
	answers := map[string]map[string]any{}
	for d := json.NewDecoder(fromServer); ; {
		var a map[string]any
		if err := d.Decode(&a); err == io.EOF {
			return answers
		} else if err != nil {
			t.Fatal(err)
		}
		answers[fmt.Sprint(a["id"])] = a
	}
}

// takeSlots takes all slots for a time.
func takeSlots(t *testing.T, s *Server) {
	for range s.Slots.Count {
		s.Slots.Take(t.Context(), gate.Client{})
		time.AfterFunc(200*time.Millisecond, func() { s.Slots.Leave(gate.Client{}) })
	}
}

// All calls that were read before the input ended are answered, and none of a burst is refused.
func TestAgentBurstIsAnswered(t *testing.T) {
	s := &Server{}
	start(t, s)
	var text strings.Builder
	const calls = 200
	for i := range calls {
		fmt.Fprintf(&text, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"explain","arguments":{"url":"/x","agent":"a","robots":"User-agent: *\nDisallow: /x"}}}`+"\n", i)
	}
	takeSlots(t, s)
	answers := serveLines(t, s, text.String())
	for i := range calls {
		result, _ := answers[fmt.Sprint(i)]["result"].(map[string]any)
		if result == nil || result["isError"] == true {
			t.Fatalf("call %d: %v", i, answers[fmt.Sprint(i)])
		}
	}
}

// A line that is no message gets an error, and the session goes on.
func TestAgentLineThatIsNoMessage(t *testing.T) {
	for line, want := range map[string]float64{"hello": -32700, "{": -32700, "[]": -32600, `{"a":1}`: -32600, "7": -32600, `"` + strings.Repeat("a", maxAgentLine) + `"`: -32700} {
		s := &Server{}
		start(t, s)
		answers := serveLines(t, s, line+"\n\n"+`{"jsonrpc":"2.0","id":7,"method":"tools/list"}`+"\n")
		failure, _ := answers["<nil>"]["error"].(map[string]any)
		if failure == nil || failure["code"] != want {
			t.Errorf("%.20s: %v, want the code %v", line, answers["<nil>"], want)
		}
		if answers["7"]["result"] == nil {
			t.Errorf("%.20s: the next call got %v", line, answers["7"])
		}
	}
}

// Calls that readers of JSON read differently are no calls: they are refused over pipes, where the session goes on,
// and over HTTP.
func TestCallsThatAreRefused(t *testing.T) {
	const (
		member    = `"arguments":{"url":"/x","agent":"a","robots":"User-agent: *\nDisallow: /"}`
		arguments = `"params":{"name":"explain",` + member + `}`
		begin     = `{"jsonrpc":"2.0","id":1,"method":"tools/call",`
	)
	daemon := start(t, &Server{})
	for line, want := range map[string]string{
		begin + arguments + `}`: "",
		begin + `"params":{"name":"explain","arguments":{},` + member + `}}`:              `"arguments" is given twice; give it only once`,
		begin + `"params":{"name":"explain","argument\u0073":{},` + member + `}}`:         `"arguments" is given twice; give it only once`,
		begin + `"params":{},` + arguments + `}`:                                          `"params" is given twice; give it only once`,
		begin + `"params":null,` + arguments + `}`:                                        `"params" is given twice; give it only once`,
		begin + `"id":2,` + arguments + `}`:                                               `"id" is given twice; give it only once`,
		begin + `"method":"tools/list",` + arguments + `}`:                                `"method" is given twice; give it only once`,
		begin + strings.Replace(arguments, `"robots":`, `"robots":"","robots":`, 1) + `}`: `"robots" is given twice; give it only once`,
		begin + arguments + `}}`:                                                          "found more text after the end of the object",
		begin + arguments + `}]`:                                                          "found more text after the end of the object",
		begin + arguments + `} {}`:                                                        "found more text after the end of the object",
		begin + arguments + "}\ufeff":                                                     "found more text after the end of the object",
		begin + "\"\xff\":1," + arguments + `}`:                                           "invalid UTF-8",
		"\u00a0" + begin + arguments + `}`:                                                "invalid character",
		"\ufeff\ufeff" + begin + arguments + `}`:                                          "invalid character",
	} {
		s := &Server{}
		start(t, s)
		over := serveLines(t, s, line+"\n"+`{"jsonrpc":"2.0","id":7,"method":"tools/list"}`+"\n")
		if over["7"]["result"] == nil {
			t.Errorf("%q: the next call got %v", line, over["7"])
		}
		status, body := postCall(t, daemon, line)
		if want == "" {
			if over["1"]["result"] == nil || status != 200 || body["result"] == nil {
				t.Errorf("%q: %v over pipes, %d %v over HTTP", line, over["1"], status, body)
			}
			continue
		}
		if status != 400 {
			t.Errorf("%q: status %d", line, status)
		}
		for how, answer := range map[string]map[string]any{"pipes": over["<nil>"], "HTTP": body} {
			failure, _ := answer["error"].(map[string]any)
			if text := fmt.Sprint(failure["message"]); failure["code"] != -32700.0 || !strings.Contains(text, want) {
				t.Errorf("%q over %s: %v, want %q", line, how, answer, want)
			}
		}
	}
}

// postCall sends a call as it is.
func postCall(t *testing.T, daemon, text string) (status int, answer map[string]any) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, daemon+"/mcp", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		t.Errorf("%q: %v", text, err)
	}
	return response.StatusCode, answer
}

// A second call with the id of one that is in work is refused, and the session still ends.
func TestAgentSameIDTwice(t *testing.T) {
	s := &Server{}
	start(t, s)
	takeSlots(t, s)
	line := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"lint","arguments":{"robots":"x"}}}` + "\n"
	answers := serveLines(t, s, line+line)
	if answers["1"]["result"] == nil || answers["<nil>"]["error"] == nil {
		t.Errorf("the answers are %v", answers)
	}
}

// Beyond a number of calls without an answer, no other one is read; an answer makes room, and its id is
// free again. The end of the input, and its error, come after the last answer.
func TestAgentCallsAtATime(t *testing.T) {
	line := func(id int) string { return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/list"}`+"\n", id) }
	var text strings.Builder
	for id := range maxAgentCalls {
		text.WriteString(line(id))
	}
	text.WriteString(line(0) + line(maxAgentCalls) + line(0)) // refused; too many; in its turn
	failure := errors.New("the pipe is broken")
	synctest.Test(t, func(t *testing.T) {
		in := io.NopCloser(io.MultiReader(strings.NewReader(text.String()), iotest.ErrReader(failure)))
		answers, out := io.Pipe()
		go io.Copy(io.Discard, answers)
		c, err := (&agentTransport{in: in, out: out}).Connect(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer out.Close()
		defer c.Close()
		read := func() (*jsonrpc.Request, error) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			message, err := c.Read(ctx)
			request, _ := message.(*jsonrpc.Request)
			return request, err
		}
		var calls []*jsonrpc.Request
		for id := range maxAgentCalls {
			call, err := read()
			if err != nil {
				t.Fatalf("call %d: %v", id, err)
			}
			calls = append(calls, call)
		}
		if call, err := read(); err != context.DeadlineExceeded {
			t.Errorf("one call more: %v, %v", call, err)
		}
		answer := func(call *jsonrpc.Request) {
			c.Write(t.Context(), &jsonrpc.Response{ID: call.ID, Result: []byte("{}")})
		}
		answer(calls[0])
		if call, err := read(); err != nil || call.ID != calls[0].ID {
			t.Errorf("a call with the id of one that is answered: %v, %v", call, err)
		}
		for _, call := range calls[1:] {
			answer(call)
		}
		ended := false
		time.AfterFunc(time.Second/2, func() { ended = true; answer(calls[0]) })
		if call, err := read(); !errors.Is(err, failure) || !ended {
			t.Errorf("the end of the input: %v, %v, after the last answer: %v", call, err, ended)
		}
	})
}
