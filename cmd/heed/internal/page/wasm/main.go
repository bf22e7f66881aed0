//go:build js && wasm

// Command wasm answers the questions of the page in the browser, so that the page needs no server.
// It is compiled to WebAssembly, and worker.js calls it.
package main

import (
	"bytes"
	"context"
	"syscall/js"

	"github.com/heed-robots/heed/internal/asked"
)

// main gives the function heedAnswer to worker.js. It takes the path of a question, its body as
// a Uint8Array of JSON, and its robots.txt as a Uint8Array, or null if the body has it. It returns
// the status and the JSON of the answer.
func main() {
	js.Global().Set("heedAnswer", js.FuncOf(func(_ js.Value, args []js.Value) any {
		question := asked.Question{Body: bytes.NewReader(octetsOf(args[1]))}
		if !args[2].IsNull() {
			robots := string(octetsOf(args[2]))
			question.Robots = &robots
		}
		status, answer := asked.Answer(context.Background(), args[0].String(), &question)
		body := js.Global().Get("Uint8Array").New(len(answer))
		js.CopyBytesToJS(body, answer)
		return []any{status, body}
	}))
	select {} // the functions of a program that has ended cannot be called
}

func octetsOf(array js.Value) []byte {
	octets := make([]byte, array.Length())
	js.CopyBytesToGo(octets, array)
	return octets
}
