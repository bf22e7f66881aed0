package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/textproto"
	"strconv"
	"time"

	"github.com/jlaffaye/ftp"
)

// retrieve asks an FTP server for the file, as an anonymous visitor in passive
// mode (G-1). It returns why there is no answer.
func (f *Fetcher) retrieve(ctx context.Context, r *Result) error {
	r.Hops = []Hop{{URL: r.Origin.RobotsURL()}}
	err := f.retrieveFile(ctx, r)
	var reply *textproto.Error
	if errors.As(err, &reply) {
		r.Status, r.Hops[0].Status = reply.Code, reply.Code
		if reply.Code == ftp.StatusFileUnavailable {
			return nil // an answer: there is no such file
		}
	}
	if ctx.Err() != nil && !errors.As(err, new(*BusyError)) {
		return ctx.Err() // the deadline of a connection ends earlier than the context's error comes
	}
	return err
}

func (f *Fetcher) retrieveFile(ctx context.Context, r *Result) error {
	done, err := f.hosts.take(ctx, trimBrackets(r.Origin.Host()), f.maxPerHost())
	if err != nil {
		return err
	}
	defer done()
	connections := &ftpDialer{ctx: ctx, dialer: f.dialer()}
	address := net.JoinHostPort(trimBrackets(r.Origin.Host()), strconv.Itoa(int(r.Origin.Port())))
	server, err := ftp.Dial(address, ftp.DialWithDialFunc(connections.dial))
	if err != nil {
		return err
	}
	defer server.Quit() // the answer is there already
	if err := server.Login("anonymous", "anonymous@"); err != nil {
		return err
	}
	file, err := server.Retr("/robots.txt")
	if err != nil {
		return err
	}
	if err := f.readBody(r, file, ""); err != nil {
		return err
	}
	// Closing waits for the server to say that the transfer is complete: a
	// connection that broke looks like the end of a file. Where the limit ended
	// it, the server has something else to say.
	if err := file.Close(); err != nil && !r.Truncated {
		return fmt.Errorf("body: %w", err)
	}
	r.Status, r.Hops[0].Status = ftp.StatusClosingDataConnection, ftp.StatusClosingDataConnection
	return nil
}

func trimBrackets(host string) string {
	if host[0] == '[' {
		return host[1 : len(host)-1]
	}
	return host
}

// ftpDialer makes the connections of one retrieval: the first is the control
// connection, and the data connections go to that same address, whatever the
// server says, at the port that it says.
type ftpDialer struct {
	ctx    context.Context
	dialer *net.Dialer
	server string // the address of the control connection
}

func (d *ftpDialer) dial(network, address string) (net.Conn, error) {
	if d.server != "" {
		_, port, err := net.SplitHostPort(address)
		if err != nil {
			return nil, err
		}
		address = net.JoinHostPort(d.server, port)
	}
	c, err := d.dialer.DialContext(d.ctx, network, address)
	if err != nil {
		return nil, err
	}
	if deadline, ok := d.ctx.Deadline(); ok {
		if err := c.SetDeadline(deadline); err != nil {
			return nil, err
		}
	}
	stop := context.AfterFunc(d.ctx, func() { c.SetDeadline(time.Unix(1, 0)) })
	if d.server != "" {
		return &endingConn{c, stop}, nil
	}
	if d.server, _, err = net.SplitHostPort(c.RemoteAddr().String()); err != nil {
		return nil, err
	}
	return &controlConn{endingConn{c, stop}, maxReplies}, nil
}

// endingConn is a connection that ends with a context.
type endingConn struct {
	net.Conn
	stop func() bool
}

func (c *endingConn) Close() error {
	c.stop()
	return c.Conn.Close()
}

// maxReplies is how much an FTP server may say beside the file.
const maxReplies = 64 << 10

// controlConn is a control connection: what comes over it is bounded.
type controlConn struct {
	endingConn
	left int
}

func (c *controlConn) Read(p []byte) (int, error) {
	if c.left == 0 {
		return 0, fmt.Errorf("the server said more than %d bytes: %w", maxReplies, io.ErrShortBuffer)
	}
	n, err := c.endingConn.Read(p[:min(len(p), c.left)])
	c.left -= n
	return n, err
}
