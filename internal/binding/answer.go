package binding

import (
	"context"
	"encoding/json"

	"github.com/heed-robots/heed/internal/asked"
)

// Answer answers a question of the HTTP API about a robots.txt that is in the question, or that is given
// beside it; see asked.Answer. The question is JSON that the page's own program wrote: internal/jsonobject, which
// reads that of strangers, would make the WebAssembly larger by a fifth. Its status and answer are also those of a question that is refused.
func Answer(path string, question []byte, robots *string) (status int, answer []byte, err error) {
	defer rescueBytes(&err, "answer "+path, question)
	decode := func(into any) error {
		if err := json.Unmarshal(question, into); err != nil {
			return asked.Wrong("%w", err)
		}
		return nil
	}
	status, answer = asked.Answer(context.Background(), path, &asked.Question{Decode: decode, Robots: robots})
	return status, answer, nil
}
