package cli

import (
	"encoding/json"
	"os"
	"os/exec"
	"regexp"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// blockOf returns the first block of a language in a document.
func blockOf(t *testing.T, document, language string) string {
	t.Helper()
	text, err := os.ReadFile("../../../../docs/" + document)
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile("(?s)```" + language + "\n(.*?)```").FindSubmatch(text)
	if found == nil {
		t.Fatalf("docs/%s has no block of %s", document, language)
	}
	return string(found[1])
}

// The configuration in docs/mcp.md starts the tools, as an agent does it.
func TestServeAgent(t *testing.T) {
	t.Parallel()
	var config struct {
		MCPServers map[string]struct {
			Command string
			Args    []string
		}
	}
	if err := json.Unmarshal([]byte(blockOf(t, "mcp.md", "json")), &config); err != nil {
		t.Fatal(err)
	}
	started := config.MCPServers["heed"]
	command := exec.Command(started.Command, started.Args...) // heed is made by TestMain
	cache := t.TempDir()
	command.Env = append(os.Environ(), "XDG_CACHE_HOME="+cache, "LocalAppData="+cache, "HOME="+cache)
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: command}, nil)
	if err != nil {
		t.Fatal(err)
	}
	list, err := session.ListTools(t.Context(), nil)
	if err != nil || len(list.Tools) != 4 {
		t.Errorf("tools/list: %v, %+v", err, list)
	}
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "check", Arguments: map[string]any{"url": "/cart", "agent": "ExampleBot", "robots": "User-agent: *\nDisallow: /cart"}})
	if err != nil || result.IsError || result.StructuredContent.(map[string]any)["allowed"] != false {
		t.Errorf("check: %v, %+v", err, result)
	}
	if err := session.Close(); err != nil {
		t.Errorf("after the input ended: %v", err)
	}
}
