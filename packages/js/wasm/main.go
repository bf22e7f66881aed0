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

// JavaScript may forget to close files and policies. If all files and policies together take more bytes than limit,
// heed closes some of them. It first closes those that were unused for the longest time.
const limit = 128 << 20

var (
	table = binding.Table{Limit: limit}

	input     []byte   // JavaScript writes strings into it, one directly after the other
	lengths   []uint32 // the sizes of these strings in bytes
	decisions []binding.Decision
	reply     []byte // the last answer, or the text of an error
)

// The garbage collector of Go works only during calls, which is too little here. So tidy sometimes collects everything.
const (
	leastHeap = 16 << 20    // tidy does nothing if the heap has fewer bytes
	atOnce    = 1 << 20     // tidy looks at the heap after so many bytes of texts
	perAnswer = atOnce / 32 // so many bytes are counted for each answer
)

var (
	passed int    // bytes of texts since tidy last looked at the heap
	alive  uint64 // bytes of the heap after the last collection
)

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

//go:wasmexport buffer
func buffer(size uint32) unsafe.Pointer {
	input = make([]byte, size)
	return unsafe.Pointer(unsafe.SliceData(input))
}

// makeRows makes two lists, one for the lengths of strings and one for the decisions, and returns their address. Each list
// has as many elements as size says.
//
//go:wasmexport rows
func makeRows(size uint32) unsafe.Pointer {
	words := make([]uint32, 3*size)
	lengths = words[:size]
	decisions = unsafe.Slice((*binding.Decision)(unsafe.Pointer(unsafe.SliceData(words[size:]))), size)
	return unsafe.Pointer(unsafe.SliceData(words))
}

// The result of text is valid until JavaScript writes into the buffer again.
func text(size uint32) string { return unsafe.String(unsafe.SliceData(input), size) }

// The function answer gets strings that are valid until it returns.
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

// asBytes does not copy the text, so nobody may change the bytes.
func asBytes(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

//go:wasmexport reply
func replyAddress() unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(reply)) }

// storeError returns a negative number for an error. Its absolute value has the error code in the lowest eight bits,
// and the length of the reply above these bits. If err is nil, storeError returns 0.
func storeError(err error) float64 {
	if err == nil {
		return 0
	}
	code := binding.Failed
	if e := (*binding.Error)(nil); errors.As(err, &e) {
		code = e.Code
	}
	reply = []byte(err.Error())
	return -float64(len(reply)<<8 | int(code))
}

func storeAnswer(answer []byte, err error) float64 {
	if err != nil {
		return storeError(err)
	}
	reply = answer
	tidy()
	return float64(len(reply))
}

func handleNumber(h binding.Handle, err error) float64 {
	if err != nil {
		return storeError(err)
	}
	tidy()
	return float64(h)
}

//go:wasmexport reasons
func reasons() float64 { return storeAnswer(json.Marshal(binding.Reasons())) }

// The buffer has the name of a dialect, and then the robots.txt.
//
//go:wasmexport parse
func parse() float64 {
	return withStrings(2, func(given []string) float64 { return handleNumber(table.Parse(asBytes(given[1]), given[0])) })
}

//go:wasmexport agent
func agent(file float64, count uint32) float64 {
	return withStrings(count, func(tokens []string) float64 {
		for i := range tokens {
			tokens[i] = strings.Clone(tokens[i]) // the policy keeps the token
		}
		return handleNumber(table.Agent(binding.Handle(file), tokens))
	})
}

// check returns the decision as line*65,536 + reason*256 + verdict.
//
//go:wasmexport check
func check(policy float64, size uint32) float64 {
	d, err := table.Check(binding.Handle(policy), text(size))
	if err != nil {
		return storeError(err)
	}
	return float64(int64(d.Line)<<16 | int64(d.Reason)<<8 | int64(d.Allowed))
}

// checkAll writes the decisions into the list that makeRows made.
//
//go:wasmexport checkAll
func checkAll(policy float64, count, size uint32) float64 {
	return storeError(binding.CheckAll(&table, binding.Handle(policy), text(size), lengths[:count], decisions[:count]))
}

//go:wasmexport requested
func requestURL(policy float64, size uint32) float64 {
	return storeAnswer(table.Requested(binding.Handle(policy), text(size)))
}

//go:wasmexport explain
func explain(policy float64) float64 {
	return withStrings(1, func(given []string) float64 { return storeAnswer(table.Explain(binding.Handle(policy), given[0])) })
}

// The buffer has the URL, and then the question as JSON.
//
//go:wasmexport usage
func usage(policy float64) float64 {
	return withStrings(2, func(given []string) float64 {
		return storeAnswer(table.Usage(binding.Handle(policy), given[0], given[1]))
	})
}

//go:wasmexport crawlDelay
func crawlDelay(policy float64) float64 {
	seconds, err := table.CrawlDelay(binding.Handle(policy))
	if err != nil {
		return storeError(err)
	}
	return seconds
}

//go:wasmexport sitemaps
func sitemaps(file float64) float64 { return storeAnswer(table.Sitemaps(binding.Handle(file))) }

//go:wasmexport show
func show(policy float64) float64 { return storeAnswer(table.Show(binding.Handle(policy))) }

//go:wasmexport diff
func diff(older, newer float64, count uint32) float64 {
	return withStrings(count, func(agents []string) float64 {
		return storeAnswer(table.Diff(binding.Handle(older), binding.Handle(newer), agents))
	})
}

//go:wasmexport lint
func lint() float64 {
	return withStrings(1, func(given []string) float64 { return storeAnswer(binding.Lint(asBytes(given[0]))) })
}

//go:wasmexport crawlers
func crawlers() float64 { return storeAnswer(binding.Crawlers()) }

// The buffer has the misspelt word, and then the choices.
//
//go:wasmexport closest
func closest(count uint32) float64 {
	return withStrings(count, func(given []string) float64 { return storeAnswer([]byte(spelling.Closest(given[0], given[1:])), nil) })
}

// answerQuestion returns the HTTP status times 2³², plus the length of the reply.
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

//go:wasmexport close
func closeHandle(handle float64) float64 {
	return storeError(table.Close(binding.Handle(handle)))
}
