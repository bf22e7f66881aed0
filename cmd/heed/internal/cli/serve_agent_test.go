package cli

import (
	"os/exec"
	"testing"

	"github.com/heed-robots/heed/internal/testing/portion"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The tools of "heed serve --mcp", as an agent starts it.
func TestServeAgent(t *testing.T) {
	portion.Skip(t, 4)
	t.Parallel()
	command := exec.Command(buildHeed(t), "serve", "--mcp", "--store", t.TempDir())
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: command}, nil)
	if err != nil {
		t.Fatal(err)
	}
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "lint", Arguments: map[string]any{"robots": "User-agent: *\nDisalow: /x"}})
	if err != nil || result.IsError {
		t.Errorf("lint: %v, %+v", err, result)
	}
	if err := session.Close(); err != nil {
		t.Errorf("after the input ended: %v", err)
	}
}
