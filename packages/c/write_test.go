//go:build cgo

package main

import (
	"strings"
	"testing"
)

// A text is cut at a character, and a NUL is after it.
func TestWrite(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"abcd", "abcd"},
		{"abcde", "abcd"},
		{"abcäe", "abc"},
		{"abäe", "abä"},
		{"a€e", "a€"},
		{"a😀e", "a"},
		{"😀e", "😀"},
	} {
		room := []byte("xxxxxx")
		write(room[:5], c.text)
		if got, _, ok := strings.Cut(string(room), "\x00"); got != c.want || !ok || room[5] != 'x' {
			t.Errorf("%q: got %q", c.text, room)
		}
	}
}
