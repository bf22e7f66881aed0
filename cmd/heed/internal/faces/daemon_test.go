package faces

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/cmd/heed/internal/server"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/robotstxt"
	"github.com/heed-robots/heed/store/sqlite"
)

const daemonSources = "text base64 import store live"

var daemonFaces = []face{
	{name: "stream", sources: daemonSources, ask: askStream},
	{name: "/v1/check", sources: "import store live", ask: askDaemonCheck, most: 60},
	{name: "/v1/grid", sources: daemonSources, carries: isText, single: true, ask: askGrid},
	{name: "/v1/explain", sources: daemonSources, ask: askExplainPost, most: 40},
	{name: "/v1/compare", sources: daemonSources, single: true, ask: askCompare, most: 40},
	{name: "MCP check", sources: "import store live", oneToken: true, ask: askTool("check"), most: 20},
	{name: "MCP explain", sources: "text import store live", oneToken: true, ask: askTool("explain"), most: 20},
	{name: "MCP compare", sources: "text import store live", single: true, oneToken: true, ask: askToolCompare, most: 20},
}

// daemon is the one of the source that is asked now.
var daemon struct {
	path  string
	url   string
	close []func()
}

func closeDaemon() {
	for _, f := range daemon.close {
		f()
	}
	daemon.path, daemon.url, daemon.close = "", "", nil
}

// daemonOf returns the URL of a daemon with the store of the source.
func (r *run) daemonOf() string {
	if daemon.path == r.path {
		return daemon.url
	}
	closeDaemon()
	folder := r.path
	if r.source.kind != stored {
		folder = filepath.Join(r.folder, "served")
	}
	store, err := sqlite.Open(filepath.Join(folder, "robots.sqlite"), sqlite.Options{})
	if err != nil {
		r.Fatal(err)
	}
	fetcher := &fetch.Fetcher{AllowPrivate: true}
	caches := server.NewCaches(func(d *robotstxt.Dialect) *cache.Cache {
		return &cache.Cache{Fetcher: fetcher, Dialect: d, Store: store}
	})
	s := &server.Server{Caches: caches}
	d := httptest.NewUnstartedServer(nil)
	d.Config = s.HTTP()
	d.Start()
	daemon.path, daemon.url = r.path, d.URL
	daemon.close = []func(){d.Close, func() { caches.Close() }, func() { store.Close() }}
	return d.URL
}

// send sends a request to the daemon, and returns its answer.
func (r *run) send(method, path, body string) (status int, answer string) {
	request, err := http.NewRequest(method, r.daemonOf()+path, strings.NewReader(body))
	if err != nil {
		r.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		r.Fatal(err)
	}
	defer response.Body.Close()
	all, err := io.ReadAll(response.Body)
	if err != nil {
		r.Fatal(err)
	}
	return response.StatusCode, string(all)
}

func askStream(r *run, all []*question) []answer {
	var in strings.Builder
	for _, q := range all {
		in.Write(append(jsonOf(r.questionOf(q)), '\n'))
	}
	_, out := r.send("POST", "/v1/check?dialect="+r.world.dialect.String(), in.String())
	return rowsOf(result{stdout: out}, len(all))
}

// one reads the answer to one question: a status of HTTP that is no success refuses it.
func one(status int, body string, read func(string) answer) answer {
	switch {
	case status == http.StatusOK:
		return read(body)
	case status >= 400 && status < 500:
		return answer{verdict: refused}
	}
	return answer{verdict: fmt.Sprintf("status %d: %.200s", status, body)}
}

func askDaemonCheck(r *run, all []*question) (answers []answer) {
	for _, q := range all {
		values := url.Values{"agent": r.world.agents, "url": {q.url}, "dialect": {r.world.dialect.String()}}
		status, body := r.send("GET", "/v1/check?"+values.Encode(), "")
		answers = append(answers, one(status, body, decisionOf))
	}
	return answers
}

// given adds to a question the robots.txt, or the site that has one.
func (r *run) given(object map[string]any) map[string]any {
	if r.source.kind == given {
		r.addRobots(object)
	} else {
		object["url"] = r.origin + "/"
	}
	return object
}

func askGrid(r *run, all []*question) []answer {
	object := r.given(map[string]any{"agents": [][]string{r.world.agents}, "urls": urlsOf(all), "dialect": r.world.dialect.String(), "brief": true})
	status, body := r.send("POST", "/v1/grid", string(jsonOf(object)))
	var g struct{ Rows []struct{ Cells []decision } }
	if err := json.Unmarshal([]byte(body), &g); err != nil || status != http.StatusOK {
		return pickRows(0, numbersTo(len(all)), body, nil)
	}
	return pickRows(len(g.Rows), numbersTo(len(all)), body, func(i int) answer { return g.Rows[i].Cells[0].answer() })
}

// explanationOf reads the decision in the dialect of the world.
func (r *run) explanationOf(body string) answer {
	var e struct {
		Dialects []struct {
			Dialect string
			decision
		}
	}
	if err := json.Unmarshal([]byte(body), &e); err != nil {
		return answer{verdict: fmt.Sprintf("no JSON: %.200q", body)}
	}
	for _, d := range e.Dialects {
		if d.Dialect == r.world.dialect.String() {
			return d.answer()
		}
	}
	return answer{verdict: "the dialect is missing"}
}

// explained returns the question of /v1/explain.
func (r *run) explained(q *question) map[string]any {
	object := r.withURL(map[string]any{"agent": r.world.agents, "dialect": r.world.dialect.String()}, q)
	if r.source.kind == given {
		r.addRobots(object)
	}
	return object
}

func askExplainPost(r *run, all []*question) (answers []answer) {
	for _, q := range all {
		status, body := r.send("POST", "/v1/explain", string(jsonOf(r.explained(q))))
		answers = append(answers, one(status, body, r.explanationOf))
	}
	return answers
}

// tool calls a tool of MCP.
func (r *run) tool(name string, arguments any) (text string, isError bool) {
	_, body := r.send("POST", "/mcp", callOf(name, string(jsonOf(arguments))))
	return toolResult(body)
}

func callOf(name, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, name, arguments)
}

func toolResult(body string) (text string, isError bool) {
	var call struct {
		Result *struct {
			IsError bool
			Content []struct{ Text string }
		}
	}
	if err := json.Unmarshal([]byte(body), &call); err != nil || call.Result == nil || len(call.Result.Content) == 0 {
		return body, true
	}
	return call.Result.Content[0].Text, call.Result.IsError
}

func askTool(name string) func(*run, []*question) []answer {
	return func(r *run, all []*question) (answers []answer) {
		for _, q := range all {
			object := r.explained(q)
			object["agent"] = r.world.agents[0]
			text, isError := r.tool(name, object)
			switch {
			case isError:
				answers = append(answers, answer{verdict: refused})
			case name == "check":
				answers = append(answers, decisionOf(text))
			default:
				answers = append(answers, r.explanationOf(text))
			}
		}
		return answers
	}
}
