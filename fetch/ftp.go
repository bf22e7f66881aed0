package fetch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/textproto"
	"strconv"

	"github.com/jlaffaye/ftp"
)

// fetchFTP fetches the file as an anonymous user in passive mode (G-1). A missing file is not an error. The status of a
// missing file is 550.
func (f *Fetcher) fetchFTP(ctx context.Context, left *timeLeft, r *Result) error {
	r.Hops = []Hop{{URL: r.Origin.RobotsURL()}}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, r.Hops[0].URL, nil)
	if err == nil {
		err = f.checkTarget(request.URL)
	}
	if err == nil {
		err = f.refuseProxy(request)
	}
	if err != nil {
		return err
	}
	host := request.URL.Hostname()
	err = f.withinLimits(ctx, left, host, func(ctx context.Context) error { return f.fetchFile(ctx, r, host) })
	if reply, ok := errors.AsType[*textproto.Error](err); ok {
		r.Status, r.Hops[0].Status = reply.Code, reply.Code
	}
	if errors.Is(err, errNoFile) {
		return nil
	}
	return err
}

func (f *Fetcher) fetchFile(ctx context.Context, r *Result, host string) error {
	connections := &ftpDialer{ctx: ctx, fetcher: f}
	address := net.JoinHostPort(host, strconv.Itoa(int(r.Origin.Port())))
	server, err := ftp.Dial(address, ftp.DialWithDialFunc(connections.dial))
	if err != nil {
		return err
	}
	defer server.Quit()
	if err := server.Login("anonymous", "anonymous@"); err != nil {
		return fmt.Errorf("login: %w", err)
	}
	file, err := server.Retr("/robots.txt")
	if err != nil {
		return whyNoFile(err, server, connections)
	}
	if err := f.readBody(r, file, nil); err != nil {
		return err
	}
	status := ftp.StatusClosingDataConnection
	if r.Truncated { // the limit MaxBytes was reached, so the rest and the last reply do not matter
		status = ftp.StatusAboutToSend
		server.Quit() // without this, Close would wait for the last reply
	}
	// Close waits for the reply 226. Without this reply, the file may be incomplete.
	if err := file.Close(); err != nil && !r.Truncated {
		return fmt.Errorf("body: %w", err)
	}
	r.Status, r.Hops[0].Status = status, status
	return nil
}

// All connections of an ftpDialer go to the same address. A hostile server could name another address for the data.
type ftpDialer struct {
	ctx     context.Context
	fetcher *Fetcher
	server  string // the IP address of the first connection
	data    int    // how many connections for data were tried
}

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

// ftpControl refuses a reply that comes before its command. Otherwise an early "550 No such file" would be taken for
// the reply to RETR. Read returns one line at a time, so that Write can see whether a line is left.
type ftpControl struct {
	net.Conn
	early []byte // received, but not yet returned by Read
}

func (c *ftpControl) Read(p []byte) (int, error) {
	if len(c.early) == 0 {
		n, err := c.Conn.Read(p)
		if n == 0 {
			return 0, err
		}
		c.early = bytes.Clone(p[:n])
	}
	line := c.early[:min(len(c.early), len(p))]
	if end := bytes.IndexByte(line, '\n'); end >= 0 {
		line = line[:end+1]
	}
	n := copy(p, line)
	c.early = c.early[n:]
	return n, nil
}

var errEarlyReply = errors.New("the FTP server sent a reply before heed sent a command, so heed does not use its replies; expected a reply only after a command")

func (c *ftpControl) Write(p []byte) (int, error) {
	if len(c.early) > 0 {
		return 0, errEarlyReply
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
