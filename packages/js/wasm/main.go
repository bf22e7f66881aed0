//go:build wasip1

// Command wasm is Heed for JavaScript, as WebAssembly. program.js calls its functions, with strings in a buffer.
package main

import (
	"encoding/json"
	"errors"
	"runtime"
	"strings"
	"unsafe"

	"github.com/heed-robots/heed/internal/binding"
	"github.com/heed-robots/heed/internal/spelling"
)

// limit is how many bytes of memory the files and policies may take, approximately. Above this limit, those that were least
// recently used are closed, because JavaScript may forget to close them.
const limit = 128 << 20

var (
	table = binding.Table{Limit: limit}

	input     []byte             // the buffer: JavaScript writes strings into it, one after the other
	lengths   []uint32           // the length of each of these strings, in bytes
	decisions []binding.Decision // the decisions of checkAll about the URLs in the buffer
	reply     []byte             // the last answer as JSON, or the text of an error
)

// In WebAssembly, the garbage collector does too little, because it works only during calls. So tidy collects everything.
const (
	leastHeap = 16 << 20    // if the heap has fewer bytes, tidy collects nothing
	atOnce    = 1 << 20     // tidy looks at the heap after this many bytes of texts
	perAnswer = atOnce / 32 // this many bytes are counted for each answer, in addition to its texts
)

var (
	passed int    // bytes of texts since tidy has last looked at the heap
	alive  uint64 // bytes of the heap directly after the last collection
)

// tidy collects garbage if the heap is twice as large as after the last collection. It is called after answers that
// need memory.
func tidy() {
	passed += perAnswer
	if passed < atOnce {
		return
	}
	passed = 0
	var heap runtime.MemStats
	runtime.ReadMemStats(&heap)
	if heap.HeapAlloc > leastHeap && heap.HeapAlloc > 2*alive {
		runtime.GC()
		runtime.ReadMemStats(&heap)
		alive = heap.HeapAlloc
	}
}

func main() {} // main is never called, because this program is a library

// buffer makes a new buffer for the strings of JavaScript, and returns its address.
//
//go:wasmexport buffer
func buffer(size uint32) unsafe.Pointer {
	input = make([]byte, size)
	return unsafe.Pointer(unsafe.SliceData(input))
}

// makeRows makes the lists of string lengths and of decisions, with size elements each. It returns their address.
//
//go:wasmexport rows
func makeRows(size uint32) unsafe.Pointer {
	words := make([]uint32, 3*size)
	lengths = words[:size]
	decisions = unsafe.Slice((*binding.Decision)(unsafe.Pointer(unsafe.SliceData(words[size:]))), size)
	return unsafe.Pointer(unsafe.SliceData(words))
}

// text returns the first size bytes of the buffer. They are valid until JavaScript writes into the buffer again.
func text(size uint32) string { return unsafe.String(unsafe.SliceData(input), size) }

// withStrings calls answer with the first count strings of the buffer, and returns its result. The strings are valid until
// answer returns.
func withStrings(count uint32, answer func(given []string) float64) float64 {
	size := uint32(0)
	for _, n := range lengths[:count] {
		size += n
	}
	passed += int(size)
	given, err := binding.Strings(text(size), lengths[:count])
	if err != nil {
		return storeError(err)
	}
	return answer(given)
}

// asBytes returns the bytes of a text without copying them. The caller must not change the bytes.
func asBytes(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

// replyAddress returns the address of the reply: the last answer, or the text of an error.
//
//go:wasmexport reply
func replyAddress() unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(reply)) }

// storeError stores an error as the reply. It returns a negative number with the reply's length and the error code.
func storeError(err error) float64 {
	code := binding.Failed
	if e := (*binding.Error)(nil); errors.As(err, &e) {
		code = e.Code
	}
	reply = []byte(err.Error())
	return -float64(len(reply)<<8 | int(code))
}

// storeAnswer stores an answer as the reply, and returns its length. If err is not nil, it returns storeError(err).
func storeAnswer(answer []byte, err error) float64 {
	if err != nil {
		return storeError(err)
	}
	reply = answer
	tidy()
	return float64(len(reply))
}

// handleNumber returns a handle as a number, or storeError(err) if err is not nil.
func handleNumber(h binding.Handle, err error) float64 {
	if err != nil {
		return storeError(err)
	}
	tidy()
	return float64(h)
}

// reasons replies with a JSON list of the names of all reasons for a decision.
//
//go:wasmexport reasons
func reasons() float64 { return storeAnswer(json.Marshal(binding.Reasons())) }

// parse parses a robots.txt, and returns its handle. The buffer has the name of a dialect, and then the robots.txt.
//
//go:wasmexport parse
func parse() float64 {
	return withStrings(2, func(given []string) float64 { return handleNumber(table.Parse(asBytes(given[1]), given[0])) })
}

// agent makes the policy of a file for the crawler whose product tokens are in the buffer.
//
//go:wasmexport agent
func agent(file float64, count uint32) float64 {
	return withStrings(count, func(tokens []string) float64 {
		for i := range tokens {
			tokens[i] = strings.Clone(tokens[i]) // a copy, because the policy keeps the token
		}
		return handleNumber(table.Agent(binding.Handle(file), tokens))
	})
}

// check checks the URL in the buffer. It returns the decision as a number: line*65,536 + reason*256 + verdict.
//
//go:wasmexport check
func check(policy float64, size uint32) float64 {
	d, err := table.Check(binding.Handle(policy), text(size))
	if err != nil {
		return storeError(err)
	}
	return float64(int64(d.Line)<<16 | int64(d.Reason)<<8 | int64(d.Allowed))
}

// checkAll checks the URLs in the buffer, and writes the decisions into the list that makeRows made.
//
//go:wasmexport checkAll
func checkAll(policy float64, count, size uint32) float64 {
	if err := binding.CheckAll(&table, binding.Handle(policy), text(size), lengths[:count], decisions[:count]); err != nil {
		return storeError(err)
	}
	return 0
}

// requestURL replies with the URL that must be checked before the URL in the buffer is requested: usually the same URL. See
// robotstxt.Policy.Requested.
//
//go:wasmexport requested
func requestURL(policy float64, size uint32) float64 {
	return storeAnswer(table.Requested(binding.Handle(policy), text(size)))
}

// explain replies with an explanation of the decision about the URL in the buffer.
//
//go:wasmexport explain
func explain(policy float64) float64 {
	return withStrings(1, func(given []string) float64 { return storeAnswer(table.Explain(binding.Handle(policy), given[0])) })
}

// usage replies for which purposes a page may be used. The buffer has the URL, and the question as JSON.
//
//go:wasmexport usage
func usage(policy float64) float64 {
	return withStrings(2, func(given []string) float64 {
		return storeAnswer(table.Usage(binding.Handle(policy), given[0], given[1]))
	})
}

// crawlDelay returns the crawl delay for the crawler of a policy, in seconds, or NaN if there is none.
//
//go:wasmexport crawlDelay
func crawlDelay(policy float64) float64 {
	seconds, err := table.CrawlDelay(binding.Handle(policy))
	if err != nil {
		return storeError(err)
	}
	return seconds
}

// sitemaps replies with the URLs of the Sitemap lines of a file, each with a line feed after it.
//
//go:wasmexport sitemaps
func sitemaps(file float64) float64 { return storeAnswer(table.Sitemaps(binding.Handle(file))) }

// show replies with the groups and lines that apply to the crawler of a policy.
//
//go:wasmexport show
func show(policy float64) float64 { return storeAnswer(table.Show(binding.Handle(policy))) }

// diff compares two files for some crawlers, whose names are in the buffer.
//
//go:wasmexport diff
func diff(older, newer float64, count uint32) float64 {
	return withStrings(count, func(agents []string) float64 {
		return storeAnswer(table.Diff(binding.Handle(older), binding.Handle(newer), agents))
	})
}

// lint finds what is wrong with the robots.txt in the buffer.
//
//go:wasmexport lint
func lint() float64 {
	return withStrings(1, func(given []string) float64 { return storeAnswer(binding.Lint(asBytes(given[0]))) })
}

// crawlers replies with the table of known crawlers.
//
//go:wasmexport crawlers
func crawlers() float64 { return storeAnswer(binding.Crawlers()) }

// closest replies with the choice that a misspelt word probably means, or "". The buffer has the misspelt word, and then
// the choices.
//
//go:wasmexport closest
func closest(count uint32) float64 {
	return withStrings(count, func(given []string) float64 { return storeAnswer([]byte(spelling.Closest(given[0], given[1:])), nil) })
}

// answerQuestion answers a question of the HTTP API, with or without a robots.txt. It returns the HTTP status times 2³²,
// plus the length of the reply.
//
//go:wasmexport answer
func answerQuestion(count uint32) float64 {
	return withStrings(count, func(given []string) float64 {
		var robots *string
		if count == 3 {
			robots = &given[2]
		}
		status, body, err := binding.Answer(given[0], asBytes(given[1]), robots)
		size := storeAnswer(body, err)
		if err != nil {
			return size
		}
		return size + float64(status<<32)
	})
}

// closeHandle closes a file or a policy.
//
//go:wasmexport close
func closeHandle(handle float64) float64 {
	if err := table.Close(binding.Handle(handle)); err != nil {
		return storeError(err)
	}
	return 0
}
