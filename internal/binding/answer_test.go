package binding

import (
	"strings"
	"testing"
)

func TestAnswer(t *testing.T) {
	robots := "User-agent: *\nDisallow: /cart\n"
	for _, c := range []struct {
		path, question string
		robots         *string
		status         int
		want           string // in the answer
	}{
		{"/v1/grid", `{"urls":["/cart"],"agents":["ExampleBot"]}`, &robots, 200, `"rule":{"line":2`},
		{"/v1/grid", `{"urls":["/cart"],"agents":["ExampleBot"],"robots":""}`, nil, 200, `"reason":"no-group"`},
		{"/v1/crawlers", "", nil, 200, `"GPTBot"`},
		{"/v1/lint", "\xff", nil, 400, `"error":`},
		{"/v1/check", "{}", nil, 404, `"error":`},
	} {
		status, answer, err := Answer(c.path, []byte(c.question), c.robots)
		if err != nil || status != c.status || !strings.Contains(string(answer), c.want) {
			t.Errorf("%s %q: %d %.200s %v, want %d with %s", c.path, c.question, status, answer, err, c.status, c.want)
		}
	}
}
