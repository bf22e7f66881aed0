package server

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/sync/semaphore"

	"github.com/heed-robots/heed/internal/asked"
	"github.com/heed-robots/heed/internal/input"
	"github.com/heed-robots/heed/internal/lines"
)

const (
	maxAgentCalls = 64 // the number of calls that a local agent may have in progress
	maxAgentLine  = 16 << 20
	agentRetry    = 100 * time.Millisecond
)

// ServeAgent answers calls of the tools until the input ends. Handler must be called before ServeAgent. If the server is
// overloaded, a call waits.
func (s *Server) ServeAgent(ctx context.Context, calls io.ReadCloser, answers io.WriteCloser) error {
	return s.toolServer(repeatWhileBusy).Run(ctx, &agentTransport{in: calls, out: answers})
}

func repeatWhileBusy(ctx context.Context, call func() error) error {
	for {
		err := call()
		var problem *asked.Problem
		if !errors.As(err, &problem) || problem.Status != http.StatusServiceUnavailable {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(agentRetry):
		}
	}
}

// An agentTransport reads and writes one message on each line. The transport of the MCP library would drop answers when
// the input ends.
type agentTransport struct {
	in  io.ReadCloser
	out io.WriteCloser
}

func (t *agentTransport) Connect(ctx context.Context) (mcp.Connection, error) {
	c := &agentConnection{agentTransport: t, lines: make(chan lines.Line), callRoom: semaphore.NewWeighted(maxAgentCalls)}
	c.openCtx, c.end = context.WithCancelCause(ctx)
	go c.readLines()
	return c, nil
}

type agentConnection struct {
	*agentTransport
	openCtx  context.Context // ends when Close is called
	end      context.CancelCauseFunc
	lines    chan lines.Line
	err      error               // the error of the input; set before lines is closed
	callRoom *semaphore.Weighted // has room for the calls that have no answer yet
	ids      sync.Map            // the ids of the calls that have no answer yet
	writing  sync.Mutex
}

func (c *agentConnection) SessionID() string { return "" }

func (c *agentConnection) Close() error {
	c.end(io.EOF)
	c.in.Close()
	return nil
}

// readLines sends the lines of the input to a channel, so that Read can return when the connection is closed.
func (c *agentConnection) readLines() {
	defer close(c.lines)
	r := lines.New(c.in, input.StandardInput, maxAgentLine)
	for l := range r.All() {
		select {
		case c.lines <- l:
		case <-c.openCtx.Done():
			return
		}
	}
	c.err = r.Err()
}

// Read returns the next message. If a line is not a message, Read answers this line with an error. At the end of the input,
// Read waits until all calls are answered.
func (c *agentConnection) Read(ctx context.Context) (jsonrpc.Message, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	defer context.AfterFunc(c.openCtx, func() { stop(context.Cause(c.openCtx)) })()
	for {
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case l, more := <-c.lines:
			if !more {
				return nil, cmp.Or(c.waitForCalls(ctx, maxAgentCalls), c.err, io.EOF) // when all room in callRoom is free, each call has its answer
			}
			message, err := c.decodeMessage(ctx, l)
			if message != nil || err != nil {
				return message, err
			}
		}
	}
}

// If the line is not one message, decodeMessage answers with an error and returns nil.
func (c *agentConnection) decodeMessage(ctx context.Context, l lines.Line) (jsonrpc.Message, error) {
	text := []byte(strings.Trim(l.Text, " \t\r\n"))
	switch {
	case l.Wrong != nil:
		return nil, c.refuse(jsonrpc.CodeParseError, fmt.Sprintf("line %d: %v", l.Number, l.Wrong))
	case len(text) == 0:
		return nil, nil
	}
	if err := oneObject(text); err != nil && (text[0] == '{' || !json.Valid(text)) {
		return nil, c.refuse(jsonrpc.CodeParseError, fmt.Sprintf("line %d: %v; expected one message of JSON-RPC in each line", l.Number, err))
	}
	message, err := jsonrpc.DecodeMessage(text)
	if err != nil {
		return nil, c.refuse(jsonrpc.CodeInvalidRequest, fmt.Sprintf("line %d is no message of JSON-RPC: %v", l.Number, err))
	}
	request, ok := message.(*jsonrpc.Request)
	if !ok || !request.IsCall() {
		return message, nil
	}
	if _, same := c.ids.LoadOrStore(request.ID, nil); same { // the SDK would not answer a call whose id is in use
		return nil, c.refuse(jsonrpc.CodeInvalidRequest, fmt.Sprintf("line %d has the id of a call that is not answered yet", l.Number))
	}
	return message, c.waitForCalls(ctx, 1)
}

func (c *agentConnection) waitForCalls(ctx context.Context, n int64) error {
	if c.callRoom.Acquire(ctx, n) != nil {
		return context.Cause(ctx)
	}
	return nil
}

func (c *agentConnection) refuse(code int64, why string) error {
	return c.writeLine(errorForNonCall(code, why))
}

func (c *agentConnection) Write(_ context.Context, message jsonrpc.Message) error {
	text, err := jsonrpc.EncodeMessage(message)
	if err == nil {
		err = c.writeLine(text)
	}
	if response, ok := message.(*jsonrpc.Response); ok {
		if _, called := c.ids.LoadAndDelete(response.ID); called {
			c.callRoom.Release(1)
		}
	}
	return err
}

func (c *agentConnection) writeLine(text []byte) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	_, err := c.out.Write(append(text, '\n'))
	return err
}
