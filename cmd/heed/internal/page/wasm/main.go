//go:build js && wasm

// Command wasm answers the questions of the page in the browser, so that the page needs no server.
// It is compiled to WebAssembly, and worker.js calls it.
package main

import (
	"bytes"
	"context"
	"syscall/js"

	"github.com/heed-robots/heed/cmd/heed/internal/asked"
)

// main gives the function heedAnswer to worker.js. It takes the path of a question and its body as
// a Uint8Array of JSON, and returns the status and the JSON of the answer.
func main() {
	js.Global().Set("heedAnswer", js.FuncOf(func(_ js.Value, args []js.Value) any {
		question := make([]byte, args[1].Length())
		js.CopyBytesToGo(question, args[1])
		status, answer := asked.Answer(context.Background(), args[0].String(), bytes.NewReader(question))
		body := js.Global().Get("Uint8Array").New(len(answer))
		js.CopyBytesToJS(body, answer)
		return []any{status, body}
	}))
	select {} // the functions of a program that has ended cannot be called
}
