package gate

import "time"

// Limits are the numbers that keep one client, or all together, from taking what the others need.
// Beyond a limit, a client gets an error at once: nothing grows, and nothing waits without an end.
type Limits struct {
	Connections       int // open at the same time
	clientConnections int // of one client, unless it is this machine or a trusted proxy
	Requests          int // in work at the same time
	Retrievals        int // under way at the same time, with those that wait for a turn of the Fetcher
	clients           int // of which the daemon knows how much they asked

	header int   // bytes of the first line and the headers of a request
	url    int   // bytes of the URL of a request
	Body   int64 // bytes of the body of a request, except that of a stream
	Memory int64 // bytes that all requests hold, see memory

	HeaderTime time.Duration // to send the headers of a request
	BodyTime   time.Duration // to send the body of a request, except that of a stream
	IdleTime   time.Duration // between two requests of a connection
	WriteTime  time.Duration // to receive WritePiece bytes of an answer
	WritePiece int
	sendBuffer int // bytes of the answers of a connection that the system keeps until the client receives them
}

var DefaultLimits = Limits{
	// 10,000 crawlers that keep a connection each, and some more. An idle one takes about 20 KiB.
	Connections: 16_384,
	// A sixteenth of all: one address cannot lock out the others, and is enough for many
	// crawlers behind one address.
	clientConnections: 1_024,
	// Half of the connections. A request that waits takes about 30 KiB, so all take 256 MiB.
	Requests: 8_192,
	// The Fetcher makes 256 requests at a time. These are four times as many: with a timeout of
	// 30 seconds none waits for long.
	Retrievals: 1_024,
	// An entry takes about 100 bytes.
	clients: 65_536,

	header: 32 << 10, // room for the largest URL, and for what proxies add
	url:    16 << 10, // a URL of 5 KiB with every octet escaped; a longer one can be sent in a body
	Body:   8 << 20,  // two files of 500 KiB in which each octet became six: "\u0001"
	// A quarter of what packaging/heed.service permits. The rest is for cached sites, for what the
	// garbage collector has not yet freed, and for what is not counted.
	Memory: 512 << 20,

	HeaderTime: 10 * time.Second, // a client that sends them slower does so on purpose
	BodyTime:   30 * time.Second, // 8 MiB in 30 seconds are 2 Mbit/s
	IdleTime:   2 * time.Minute,  // longer than clients usually keep a connection (90 seconds in Go)
	// The system takes the next piece when about a third of the buffer is free, so a reader of 16
	// KiB a second is fast enough. Without this size it is up to 4 MiB: 16,384 slow readers would
	// take 64 GiB, and a third of it takes a slow reader long.
	WriteTime:  30 * time.Second,
	WritePiece: 64 << 10,
	sendBuffer: 256 << 10,
}
