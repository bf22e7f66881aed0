package server

import (
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

	"github.com/heed-robots/heed/internal/asked"
	"github.com/heed-robots/heed/internal/lines"
)

const (
	maxAgentCalls = 64       // calls of a local agent that are in work; the next ones are read later
	maxAgentLine  = 16 << 20 // bytes of a call
	agentRetry    = 100 * time.Millisecond
)

// ServeAgent answers calls of the tools from in on out, until in ends and all calls are answered.
// Handler must have been called before.
//
// There is no other client, so no call is refused because others are in work: it waits.
func (s *Server) ServeAgent(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
	return s.toolServer(waiting).Run(ctx, &agentTransport{in: in, out: out})
}

// waiting calls a tool again for as long as the server is overloaded.
func waiting(ctx context.Context, call func() error) error {
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

// An agentTransport is the standard input and output, with a message in each line. That of the
// SDK drops the answers that are not written when the input ends, and ends at a line that is no
// message.
type agentTransport struct {
	in  io.ReadCloser
	out io.WriteCloser
}

func (t *agentTransport) Connect(context.Context) (mcp.Connection, error) {
	c := &agentConnection{agentTransport: t, lines: make(chan lines.Line), calls: make(chan struct{}, maxAgentCalls), closed: make(chan struct{}), ids: map[jsonrpc.ID]bool{}}
	go c.readLines()
	return c, nil
}

type agentConnection struct {
	*agentTransport
	lines   chan lines.Line
	err     error         // of the input, after lines is closed
	calls   chan struct{} // has an element for each call that has no answer yet
	closing sync.Once
	closed  chan struct{}
	writing sync.Mutex

	mu  sync.Mutex
	ids map[jsonrpc.ID]bool // of the calls that have no answer yet
}

func (c *agentConnection) SessionID() string { return "" }

func (c *agentConnection) Close() error {
	c.closing.Do(func() { close(c.closed); c.in.Close() })
	return nil
}

// readLines sends the lines of the input, since a Read must end before a line comes if the
// connection is closed.
func (c *agentConnection) readLines() {
	defer close(c.lines)
	r := lines.New(c.in, "standard input", maxAgentLine)
	for l := range r.All() {
		select {
		case c.lines <- l:
		case <-c.closed:
			return
		}
	}
	c.err = r.Err()
}

// Read returns the next message. A line that is no message is answered with an error. At the end
// of the input, Read waits until all calls are answered.
func (c *agentConnection) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-c.closed:
			return nil, io.EOF
		case l, more := <-c.lines:
			if !more {
				return nil, c.end(ctx)
			}
			message, err := c.message(ctx, l)
			if message != nil || err != nil {
				return message, err
			}
		}
	}
}

// message decodes a line; nil: it was not one message, and the answer says so.
func (c *agentConnection) message(ctx context.Context, l lines.Line) (jsonrpc.Message, error) {
	text := strings.TrimSpace(l.Text)
	switch {
	case l.Wrong != nil:
		return nil, c.refuse(jsonrpc.CodeParseError, fmt.Sprintf("line %d: %v", l.Number, l.Wrong))
	case text == "":
		return nil, nil
	case !json.Valid([]byte(text)):
		return nil, c.refuse(jsonrpc.CodeParseError, fmt.Sprintf("line %d is no JSON; expected one message of JSON-RPC in each line", l.Number))
	}
	message, err := jsonrpc.DecodeMessage([]byte(text))
	if err != nil {
		return nil, c.refuse(jsonrpc.CodeInvalidRequest, fmt.Sprintf("line %d is no message of JSON-RPC: %v", l.Number, err))
	}
	request, ok := message.(*jsonrpc.Request)
	if !ok || !request.IsCall() {
		return message, nil
	}
	if !c.begin(request.ID) { // the SDK would not answer it
		return nil, c.refuse(jsonrpc.CodeInvalidRequest, fmt.Sprintf("line %d has the id of a call that is not answered yet", l.Number))
	}
	return message, c.take(ctx)
}

// begin reports whether no call with this id is in work, and notes that one is now.
func (c *agentConnection) begin(id jsonrpc.ID) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ids[id] {
		return false
	}
	c.ids[id] = true
	return true
}

// answered notes that a call is not in work any more.
func (c *agentConnection) answered(id jsonrpc.ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ids[id] {
		delete(c.ids, id)
		<-c.calls
	}
}

// take waits until there is room for one more call without an answer.
func (c *agentConnection) take(ctx context.Context) error {
	select {
	case c.calls <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-c.closed:
		return io.EOF
	}
}

// end waits until each call has its answer: then there is room for all.
func (c *agentConnection) end(ctx context.Context) error {
	for range maxAgentCalls {
		if err := c.take(ctx); err != nil {
			return err
		}
	}
	if c.err != nil {
		return c.err
	}
	return io.EOF
}

// refuse answers a line that is no message, and so has no id.
func (c *agentConnection) refuse(code int64, why string) error {
	text, err := json.Marshal(why)
	if err != nil {
		return err
	}
	return c.writeLine(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":null,"error":{"code":%d,"message":%s}}`, code, text))
}

func (c *agentConnection) Write(_ context.Context, message jsonrpc.Message) error {
	text, err := jsonrpc.EncodeMessage(message)
	if err == nil {
		err = c.writeLine(text)
	}
	if response, ok := message.(*jsonrpc.Response); ok {
		c.answered(response.ID)
	}
	return err
}

func (c *agentConnection) writeLine(text []byte) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	_, err := c.out.Write(append(text, '\n'))
	return err
}
