package fetch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/textproto"
	"strconv"

	"github.com/jlaffaye/ftp"
)

// retrieve asks an FTP server for the file, as an anonymous visitor in passive
// mode (G-1). It returns why there is no answer; that there is no file is one.
func (f *Fetcher) retrieve(ctx context.Context, left *timeLeft, r *Result) error {
	r.Hops = []Hop{{URL: r.Origin.RobotsURL()}}
	if err := checkPort("ftp", strconv.Itoa(int(r.Origin.Port()))); err != nil {
		return err
	}
	if err := f.refuseProxy(ctx, r.Origin); err != nil {
		return err
	}
	err := f.inTurn(ctx, left, trimBrackets(r.Origin.Host()), func(ctx context.Context) error {
		return f.retrieveFile(ctx, r)
	})
	var reply *textproto.Error
	if errors.As(err, &reply) {
		r.Status, r.Hops[0].Status = reply.Code, reply.Code
	}
	if errors.Is(err, errNoFile) {
		return nil
	}
	return err
}

func (f *Fetcher) retrieveFile(ctx context.Context, r *Result) error {
	connections := &ftpDialer{ctx: ctx, fetcher: f}
	address := net.JoinHostPort(trimBrackets(r.Origin.Host()), strconv.Itoa(int(r.Origin.Port())))
	server, err := ftp.Dial(address, ftp.DialWithDialFunc(connections.dial))
	if err != nil {
		return err
	}
	defer server.Quit() // the answer is there already
	if err := server.Login("anonymous", "anonymous@"); err != nil {
		return fmt.Errorf("login: %w", err)
	}
	file, err := server.Retr("/robots.txt")
	if err != nil {
		return whyNoFile(err, server, connections)
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
// server says, at the port that it says, unless other services have that.
type ftpDialer struct {
	ctx     context.Context
	fetcher *Fetcher
	server  string // the address of the control connection
	data    int    // how many data connections were made
}

// maxReplies is how much an FTP server may say beside the file.
const maxReplies = 64 << 10

func (d *ftpDialer) dial(network, address string) (net.Conn, error) {
	if d.server != "" {
		return d.dialData(network, address)
	}
	c, err := d.fetcher.dial(d.ctx, network, address, maxReplies, false)
	if err != nil {
		return nil, err
	}
	d.server, _, err = net.SplitHostPort(c.RemoteAddr().String())
	return &ftpControl{Conn: c}, err
}

// ftpControl is a control connection over which replies come one at a time: what came
// before a command was sent is no reply to it, whatever it says.
type ftpControl struct {
	net.Conn
	ahead []byte // what came behind the line that was read last
}

// Read returns a line at most.
func (c *ftpControl) Read(p []byte) (int, error) {
	if len(c.ahead) == 0 {
		n, err := c.Conn.Read(p)
		if n == 0 {
			return 0, err
		}
		c.ahead = bytes.Clone(p[:n])
	}
	line := c.ahead[:min(len(c.ahead), len(p))]
	if end := bytes.IndexByte(line, '\n'); end >= 0 {
		line = line[:end+1]
	}
	n := copy(p, line)
	c.ahead = c.ahead[n:]
	return n, nil
}

var errOutOfTurn = errors.New("the server replied before it was asked")

func (c *ftpControl) Write(p []byte) (int, error) {
	if len(c.ahead) > 0 {
		return 0, errOutOfTurn
	}
	return c.Conn.Write(p)
}

func (d *ftpDialer) dialData(network, address string) (net.Conn, error) {
	d.data++
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	if err := checkDataPort(port); err != nil {
		return nil, err
	}
	return d.fetcher.dial(d.ctx, network, net.JoinHostPort(d.server, port), d.fetcher.maxIncoming(), false)
}
