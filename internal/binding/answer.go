package binding

import (
	"bytes"
	"context"

	"github.com/heed-robots/heed/internal/asked"
)

// Answer answers a question of the HTTP API about a robots.txt that is in the question, or that is given
// beside it; see asked.Answer. Its status and answer are also those of a question that is refused.
func Answer(path string, question []byte, robots *string) (status int, answer []byte, err error) {
	defer rescueBytes(&err, "answer "+path, question)
	status, answer = asked.Answer(context.Background(), path, &asked.Question{Body: bytes.NewReader(question), Robots: robots})
	return status, answer, nil
}
