package fetch

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/heed-robots/heed/internal/testing/portion"
)

const (
	okHead   = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
	gzipHead = okHead + "Content-Encoding: gzip\r\n\r\n"
)

type flood struct{ first, again string }

// floods are responses that never end: the first bytes, and then the bytes that the server
// repeats for ever.
var floods = map[string]flood{
	"empty gzip members":          {gzipHead, gzipped("")},
	"empty stored blocks":         {gzipHead + gzipped("")[:10], strings.Repeat("\x00\x00\x00\xff\xff", 1000)},
	"empty Huffman blocks":        {gzipHead + gzipped("")[:10], emptyHuffmanBlocks()},
	"gzip header that never ends": {gzipHead + "\x1f\x8b\x08\x08\x00\x00\x00\x00\x00\xff", "name"},
	"gzip extra fields":           {gzipHead, "\x1f\x8b\x08\x04\x00\x00\x00\x00\x00\xff\xff\xff" + strings.Repeat("x", 0xffff) + "\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00"},
	"1xx":                         {"", "HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n"},
	"header lines":                {okHead, "X: y\r\n"},
	"one header line":             {okHead + "X: ", strings.Repeat("y", 1000)},
	"chunk extension":             {okHead + "Transfer-Encoding: chunked\r\n\r\n5;", "x=y;"},
	"chunk extensions":            {okHead + "Transfer-Encoding: chunked\r\n\r\n", "1;" + strings.Repeat("x", 1000) + "\r\n#\r\n"},
	"trailers":                    {okHead + "Transfer-Encoding: chunked\r\nTrailer: X\r\n\r\n0\r\n", "X: y\r\n"},
	"chunks of one byte in gzip":  {okHead + "Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n", inChunks(gzipped(""))},
}

// floods2 are floods of HTTP/2 frames that a client must acknowledge.
var floods2 = map[string]flood{
	"SETTINGS": {"\x00\x00\x00\x04\x00\x00\x00\x00\x00", "\x00\x00\x06\x04\x00\x00\x00\x00\x00\x00\x04\x00\x01\x00\x00"},
	"PING":     {"\x00\x00\x00\x04\x00\x00\x00\x00\x00", "\x00\x00\x08\x06\x00\x00\x00\x00\x00pingping"},
}

// emptyHuffmanBlocks returns eight blocks of DEFLATE with Huffman codes but no data: for
// each block the reader builds its tables. Eight blocks end at a whole byte.
func emptyHuffmanBlocks() string {
	var bits strings.Builder
	number := func(n, width int) {
		for i := range width {
			bits.WriteByte('0' + byte(n>>i&1))
		}
	}
	for range 8 {
		number(0, 1)  // not the last block
		number(2, 2)  // with codes of its own
		number(0, 5)  // 257 literals
		number(0, 5)  // 1 distance
		number(14, 4) // 18 lengths of the code for their lengths:
		for i := range 18 {
			used := 0
			if i == 2 || i == 17 { // the symbols "many zeros", coded as 1, and "length 1", coded as 0
				used = 1
			}
			number(used, 3)
		}
		number(1, 1)
		number(138-11, 7)
		number(1, 1)
		number(118-11, 7)
		number(0, 2) // length 1 for the end of the block, and for the distance
		number(0, 1) // the end of the block
	}
	blocks := make([]byte, bits.Len()/8)
	for i, bit := range []byte(bits.String()) {
		blocks[i/8] |= (bit - '0') << (i % 8)
	}
	return string(blocks)
}

// inChunks returns a text with every byte in a chunk of its own.
func inChunks(s string) string {
	var b strings.Builder
	for i := range len(s) {
		b.WriteString("1\r\n" + s[i:i+1] + "\r\n")
	}
	return b.String()
}

// serveFlood starts a server that sends a flood, and counts the bytes.
func serveFlood(t *testing.T, listen func() (net.Listener, error), f flood) (string, *atomic.Int64) {
	t.Helper()
	listener, err := listen()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	sent := new(atomic.Int64)
	block := []byte(strings.Repeat(f.again, 1+32<<10/len(f.again)))
	go serveEach(listener, func(c net.Conn) {
		c.Read(make([]byte, 4096))
		go io.Copy(io.Discard, c)
		n, err := io.WriteString(c, f.first)
		for ; err == nil; n, err = c.Write(block) {
			sent.Add(int64(n))
		}
	})
	return listener.Addr().String(), sent
}

func cpu() time.Duration {
	var used syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &used)
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

func plainListener() (net.Listener, error) { return net.Listen("tcp", "127.0.0.1:0") }

// A response that never ends fails after a limited number of bytes, and not by a timeout.
func TestFloodsEnd(t *testing.T) {
	portion.Skip(t, 4)
	certificates := httptest.NewTLSServer(nil)
	defer certificates.Close()
	secure := func(protocols ...string) func() (net.Listener, error) {
		return func() (net.Listener, error) {
			return tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: certificates.TLS.Certificates, NextProtos: protocols})
		}
	}
	for _, c := range []struct {
		scheme string
		listen func() (net.Listener, error)
		floods map[string]flood
	}{
		{"http", plainListener, floods},
		{"https", secure(), floods},
		{"https", secure("h2", "http/1.1"), floods2},
	} {
		for name, flood := range c.floods {
			address, sent := serveFlood(t, c.listen, flood)
			f, before := &Fetcher{Timeout: 20 * time.Second}, cpu()
			r := get(t, f, parse(t, c.scheme+"://"+address))
			t.Logf("%s, %s: %d KiB sent, %s CPU, %v", c.scheme, name, sent.Load()>>10, cpu()-before, r.Err)
			checkFlood(t, c.scheme+", "+name, f, r, sent)
		}
	}
}

// buffered is how many bytes the sockets of this machine may hold.
const buffered = 12 << 20

func checkFlood(t *testing.T, name string, f *Fetcher, r Result, sent *atomic.Int64) {
	t.Helper()
	if r.Err == nil || r.Outcome(nil) != Unreachable || errors.Is(r.Err, TimedOut) {
		t.Errorf("%s: %s, %v", name, r.Outcome(nil), r.Err)
	}
	if n := int(sent.Load()); n > f.maxIncoming()+buffered {
		t.Errorf("%s: %d KiB sent", name, n>>10)
	}
}
