//go:build wasip1

// Command wasm is Heed for JavaScript, as WebAssembly. The file program.js calls its functions. JavaScript writes
// strings into a buffer, and reads answers from the memory of Go.
package main

import (
	"encoding/json"
	"errors"
	"runtime"
	"strings"
	"unsafe"

	"github.com/heed-robots/heed/internal/binding"
)

// limit is about how many bytes all files and policies may occupy. Above it, those that were not used for the longest time
// are closed; JavaScript makes them again if it needs them. The limit is needed because JavaScript may never report which
// objects it does not need any more.
const limit = 128 << 20

var (
	table = binding.Table{Limit: limit}

	input     []byte             // the buffer: strings, one after the other
	lengths   []uint32           // the lengths of these strings, in bytes
	decisions []binding.Decision // the decisions of checkAll about them
	reply     []byte             // the last answer: JSON, or the text of an error
)

// The garbage collector of Go has no thread of its own here. It runs only during calls, a little at a time, and the
// heap grows meanwhile. WebAssembly never gives memory back to the system, so tidy does a whole collection instead.
const (
	leastHeap = 16 << 20    // bytes of heap, below which tidy collects nothing
	atOnce    = 1 << 20     // bytes of texts, after which tidy looks at the heap
	perAnswer = atOnce / 32 // bytes that each answer counts in addition
)

var (
	passed int    // bytes of texts since tidy last looked at the heap
	alive  uint64 // bytes of the heap after the last collection
)

// tidy collects garbage if half of the heap may be garbage. It is called after each answer that needed
// memory.
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

func main() {} // is never called: this is a library

// buffer makes a new buffer for strings, and returns its address.
//
//go:wasmexport buffer
func buffer(size uint32) unsafe.Pointer {
	input = make([]byte, size)
	return unsafe.Pointer(unsafe.SliceData(input))
}

// rows makes two lists of size elements: the lengths of strings, and after them the decisions. It returns the address of the
// first list.
//
//go:wasmexport rows
func rows(size uint32) unsafe.Pointer {
	words := make([]uint32, 3*size)
	lengths = words[:size]
	decisions = unsafe.Slice((*binding.Decision)(unsafe.Pointer(unsafe.SliceData(words[size:]))), size)
	return unsafe.Pointer(unsafe.SliceData(words))
}

// text returns the first size bytes of the buffer. It is valid until JavaScript writes into the buffer.
func text(size uint32) string { return unsafe.String(unsafe.SliceData(input), size) }

// with calls answer with the first count strings of the buffer, and returns its result. The strings are valid until answer
// returns.
func with(count uint32, answer func(given []string) float64) float64 {
	size := uint32(0)
	for _, n := range lengths[:count] {
		size += n
	}
	passed += int(size)
	given, err := binding.Strings(text(size), lengths[:count])
	if err != nil {
		return refused(err)
	}
	return answer(given)
}

// asBytes returns a text as bytes without copying it. They must not be changed.
func asBytes(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

// replied returns the address of the reply.
//
//go:wasmexport reply
func replied() unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(reply)) }

// refused makes the text of an error the reply. It returns a number below 0, which has the length of the reply and the code
// of the error.
func refused(err error) float64 {
	code := binding.Failed
	if e := (*binding.Error)(nil); errors.As(err, &e) {
		code = e.Code
	}
	reply = []byte(err.Error())
	return -float64(len(reply)<<8 | int(code))
}

// answered makes an answer the reply, and returns its length.
func answered(answer []byte, err error) float64 {
	if err != nil {
		return refused(err)
	}
	reply = answer
	tidy()
	return float64(len(reply))
}

// made returns a handle as a number, or the number of an error.
func made(h binding.Handle, err error) float64 {
	if err != nil {
		return refused(err)
	}
	tidy()
	return float64(h)
}

// reasons returns the names of the reasons as a list.
//
//go:wasmexport reasons
func reasons() float64 { return answered(json.Marshal(binding.Reasons())) }

// parse parses a file, and returns its handle. The buffer has the name of a dialect, and the file.
//
//go:wasmexport parse
func parse() float64 {
	return with(2, func(given []string) float64 { return made(table.Parse(asBytes(given[1]), given[0])) })
}

// agent makes the policy of a file for the product tokens in the buffer, and returns its handle.
//
//go:wasmexport agent
func agent(file float64, count uint32) float64 {
	return with(count, func(tokens []string) float64 {
		for i := range tokens {
			tokens[i] = strings.Clone(tokens[i]) // the policy keeps them
		}
		return made(table.Agent(binding.Handle(file), tokens))
	})
}

// check decides about the URL in the buffer. It returns the line times 65,536, the reason times 256 and
// the verdict as one number.
//
//go:wasmexport check
func check(policy float64, size uint32) float64 {
	d, err := table.Check(binding.Handle(policy), text(size))
	if err != nil {
		return refused(err)
	}
	return float64(int64(d.Line)<<16 | int64(d.Reason)<<8 | int64(d.Allowed))
}

// checkAll decides about the URLs in the buffer.
//
//go:wasmexport checkAll
func checkAll(policy float64, count, size uint32) float64 {
	if err := binding.CheckAll(&table, binding.Handle(policy), text(size), lengths[:count], decisions[:count]); err != nil {
		return refused(err)
	}
	return 0
}

// requested gives the form of the URL in the buffer that must be checked before a request.
//
//go:wasmexport requested
func requested(policy float64, size uint32) float64 {
	return answered(table.Requested(binding.Handle(policy), text(size)))
}

// explain explains the decision about the URL in the buffer.
//
//go:wasmexport explain
func explain(policy float64) float64 {
	return with(1, func(given []string) float64 { return answered(table.Explain(binding.Handle(policy), given[0])) })
}

// usage says what the page of the URL may be used for. The buffer has the URL, and the question as JSON.
//
//go:wasmexport usage
func usage(policy float64) float64 {
	return with(2, func(given []string) float64 { return answered(table.Usage(binding.Handle(policy), given[0], given[1])) })
}

// crawlDelay returns the crawl delay for the crawler of a policy in seconds, or NaN.
//
//go:wasmexport crawlDelay
func crawlDelay(policy float64) float64 {
	seconds, err := table.CrawlDelay(binding.Handle(policy))
	if err != nil {
		return refused(err)
	}
	return seconds
}

// sitemaps gives the URLs of the Sitemap lines of a file, each with a line feed after it.
//
//go:wasmexport sitemaps
func sitemaps(file float64) float64 { return answered(table.Sitemaps(binding.Handle(file))) }

// show shows what applies to the crawler of a policy.
//
//go:wasmexport show
func show(policy float64) float64 { return answered(table.Show(binding.Handle(policy))) }

// diff compares two files for the crawlers in the buffer.
//
//go:wasmexport diff
func diff(older, newer float64, count uint32) float64 {
	return with(count, func(agents []string) float64 {
		return answered(table.Diff(binding.Handle(older), binding.Handle(newer), agents))
	})
}

// lint finds what is wrong with the file in the buffer.
//
//go:wasmexport lint
func lint() float64 {
	return with(1, func(given []string) float64 { return answered(binding.Lint(asBytes(given[0]))) })
}

// crawlers returns the known crawlers.
//
//go:wasmexport crawlers
func crawlers() float64 { return answered(binding.Crawlers()) }

// answer answers a question of the HTTP API. The buffer has its path, its JSON and, if there are three
// strings, its robots.txt. It returns the status times 2³², and the length of the reply.
//
//go:wasmexport answer
func answer(count uint32) float64 {
	return with(count, func(given []string) float64 {
		var robots *string
		if count == 3 {
			robots = &given[2]
		}
		status, body, err := binding.Answer(given[0], asBytes(given[1]), robots)
		size := answered(body, err)
		if err != nil {
			return size
		}
		return size + float64(status<<32)
	})
}

// closed closes a file or a policy.
//
//go:wasmexport close
func closed(handle float64) float64 {
	if err := table.Close(binding.Handle(handle)); err != nil {
		return refused(err)
	}
	return 0
}
