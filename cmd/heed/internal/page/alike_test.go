package page_test

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/internal/testing/portion"
)

// The page marks the letters that imitate ASCII letters in the same words as the command does, for
// all code points that both print.
func TestLookAlikesOfThePage(t *testing.T) {
	portion.Skip(t, 4)
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("needs node")
	}
	var texts, want []string
	for r := rune(0x80); r <= 0x10ffff; r++ {
		if strconv.IsPrint(r) {
			text := "aA"[r%2:][:1] + string(r) + "\u043e " + string(r) + "\u043e" // does r end a word?
			texts, want = append(texts, text), append(want, printable.Text(text))
		}
	}
	in, err := json.Marshal(texts)
	if err != nil {
		t.Fatal(err)
	}
	const script = `import { readFileSync } from "node:fs"; import { visible } from "./web/bytes.js";
		console.log(JSON.stringify(JSON.parse(readFileSync(0)).map(visible)));`
	run := exec.Command(node, "--input-type=module", "-e", script)
	run.Stdin = bytes.NewReader(in)
	out, err := run.Output()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	if err := json.Unmarshal(out, &got); err != nil || len(got) != len(want) {
		t.Fatalf("%d of %d texts, %v", len(got), len(want), err)
	}
	differ := 0
	for i := range got {
		if !strings.EqualFold(got[i], want[i]) {
			if differ++; differ < 20 {
				t.Errorf("%+q: the page has %s, the command %s", texts[i], got[i], want[i])
			}
		}
	}
	if differ > 0 {
		t.Errorf("%d texts differ", differ)
	}
}
