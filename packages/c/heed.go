package main

/*
#cgo CFLAGS: -std=c11 -D_POSIX_C_SOURCE=200809L
#include "heed.h"
#include <stdlib.h>
*/
import "C"

import (
	"errors"
	"math"
	"strings"
	"unicode/utf8"
	"unsafe"

	"github.com/heed-robots/heed/internal/binding"
	"github.com/heed-robots/heed/internal/build"
)

var table binding.Table

// These lines compile only if binding.Decision has the memory layout of heed_decision in C.
var (
	_ [unsafe.Sizeof(binding.Decision{})]byte           = [C.sizeof_heed_decision]byte{}
	_ [unsafe.Offsetof(binding.Decision{}.Allowed)]byte = [unsafe.Offsetof(C.heed_decision{}.allowed)]byte{}
	_ [unsafe.Offsetof(binding.Decision{}.Reason)]byte  = [unsafe.Offsetof(C.heed_decision{}.reason)]byte{}
)

// textOf does not copy the text, which is valid until heed returns to C.
func textOf(text *C.char, length C.size_t) string {
	return unsafe.String((*byte)(unsafe.Pointer(text)), int(length))
}

func stringsOf(all *C.char, length C.size_t, lengths *C.size_t, count C.size_t) ([]string, error) {
	texts, err := binding.Strings(textOf(all, length), unsafe.Slice(lengths, int(count)))
	for i, text := range texts {
		texts[i] = strings.Clone(text)
	}
	return texts, err
}

func codeOf(err error, to *C.heed_error) C.int {
	if err == nil {
		return C.HEED_OK
	}
	code := C.int(binding.Failed)
	if known := (*binding.Error)(nil); errors.As(err, &known) {
		code = C.int(known.Code)
	}
	if to != nil {
		to.code = code
		write(unsafe.Slice((*byte)(unsafe.Pointer(&to.message)), len(to.message)), strings.ToValidUTF8(err.Error(), "\uFFFD"))
	}
	return code
}

// write may shorten the text, but it never writes only some bytes of a character.
func write(buffer []byte, text string) {
	n := min(len(text), len(buffer)-1)
	for n < len(text) && !utf8.RuneStart(text[n]) {
		n--
	}
	copy(buffer, text[:n])
	buffer[n] = 0
}

// The C program must free the copy with heed_free.
func giveCopy(to *C.heed_text, text []byte, err error, e *C.heed_error) C.int {
	if err == nil {
		to.data = (*C.char)(C.CBytes(append(text, 0)))
		to.length = C.size_t(len(text))
	}
	return codeOf(err, e)
}

// C programs never free the version.
var version = C.CString(build.Version())

//export heedVersion
func heedVersion() *C.char { return version }

//export heedParse
func heedParse(body *C.char, length C.size_t, dialect *C.char, dialectLength C.size_t, file *C.heed_handle, e *C.heed_error) C.int {
	h, err := table.Parse(unsafe.Slice((*byte)(unsafe.Pointer(body)), int(length)), textOf(dialect, dialectLength))
	*file = C.heed_handle(h)
	return codeOf(err, e)
}

//export heedAgent
func heedAgent(file C.heed_handle, tokens *C.char, length C.size_t, lengths *C.size_t, count C.size_t, policy *C.heed_handle, e *C.heed_error) C.int {
	names, err := stringsOf(tokens, length, lengths, count)
	if err != nil {
		return codeOf(err, e)
	}
	h, err := table.Agent(binding.Handle(file), names)
	*policy = C.heed_handle(h)
	return codeOf(err, e)
}

//export heedCheck
func heedCheck(policy C.heed_handle, url *C.char, length C.size_t, decision *C.heed_decision, e *C.heed_error) C.int {
	d, err := table.Check(binding.Handle(policy), textOf(url, length))
	*(*binding.Decision)(unsafe.Pointer(decision)) = d
	return codeOf(err, e)
}

//export heedCheckAll
func heedCheckAll(policy C.heed_handle, urls *C.char, length C.size_t, lengths *C.size_t, count C.size_t, decisions *C.heed_decision, e *C.heed_error) C.int {
	to := unsafe.Slice((*binding.Decision)(unsafe.Pointer(decisions)), int(count))
	err := binding.CheckAll(&table, binding.Handle(policy), textOf(urls, length), unsafe.Slice(lengths, int(count)), to)
	return codeOf(err, e)
}

//export heedRequested
func heedRequested(policy C.heed_handle, url *C.char, length C.size_t, reading *C.heed_text, e *C.heed_error) C.int {
	made, err := table.Requested(binding.Handle(policy), textOf(url, length))
	return giveCopy(reading, made, err, e)
}

//export heedExplain
func heedExplain(policy C.heed_handle, url *C.char, length C.size_t, json *C.heed_text, e *C.heed_error) C.int {
	made, err := table.Explain(binding.Handle(policy), textOf(url, length))
	return giveCopy(json, made, err, e)
}

//export heedUsage
func heedUsage(policy C.heed_handle, url *C.char, length C.size_t, question *C.char, questionLength C.size_t, json *C.heed_text, e *C.heed_error) C.int {
	made, err := table.Usage(binding.Handle(policy), textOf(url, length), textOf(question, questionLength))
	return giveCopy(json, made, err, e)
}

//export heedShow
func heedShow(policy C.heed_handle, json *C.heed_text, e *C.heed_error) C.int {
	made, err := table.Show(binding.Handle(policy))
	return giveCopy(json, made, err, e)
}

//export heedCrawlDelay
func heedCrawlDelay(policy C.heed_handle, seconds *C.double, e *C.heed_error) C.int {
	delay, err := table.CrawlDelay(binding.Handle(policy))
	if !math.IsNaN(delay) {
		*seconds = C.double(delay)
	}
	return codeOf(err, e)
}

//export heedSitemaps
func heedSitemaps(file C.heed_handle, urls *C.heed_text, e *C.heed_error) C.int {
	made, err := table.Sitemaps(binding.Handle(file))
	return giveCopy(urls, made, err, e)
}

//export heedRefusal
func heedRefusal(status C.int, codings *C.char, codingsLength C.size_t, body *C.char, length C.size_t, why *C.heed_text, e *C.heed_error) C.int {
	made, err := binding.Refusal(int(status), textOf(codings, codingsLength), unsafe.Slice((*byte)(unsafe.Pointer(body)), int(length)))
	return giveCopy(why, made, err, e)
}

//export heedLint
func heedLint(body *C.char, length C.size_t, json *C.heed_text, e *C.heed_error) C.int {
	made, err := binding.Lint(unsafe.Slice((*byte)(unsafe.Pointer(body)), int(length)))
	return giveCopy(json, made, err, e)
}

//export heedDiff
func heedDiff(older, newer C.heed_handle, crawlers *C.char, length C.size_t, lengths *C.size_t, count C.size_t, json *C.heed_text, e *C.heed_error) C.int {
	agents, err := stringsOf(crawlers, length, lengths, count)
	if err != nil {
		return codeOf(err, e)
	}
	made, err := table.Diff(binding.Handle(older), binding.Handle(newer), agents)
	return giveCopy(json, made, err, e)
}

//export heedCrawlers
func heedCrawlers(json *C.heed_text, e *C.heed_error) C.int {
	made, err := binding.Crawlers()
	return giveCopy(json, made, err, e)
}

//export heedClose
func heedClose(handle C.heed_handle, e *C.heed_error) C.int {
	return codeOf(table.Close(binding.Handle(handle)), e)
}
