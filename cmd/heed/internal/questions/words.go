package questions

import (
	"errors"
	"fmt"
	"time"
)

// NoToken is the error of a crawler that has no product token. It is given as it was written.
func NoToken(agent string) error {
	return fmt.Errorf(`"agent" %s: no product token in it (letters, "_" and "-")`, agent)
}

// MaxWaitOf reads how long a client waits for a retrieval, such as "200ms". The result is as
// Ask.MaxWait has it.
func MaxWaitOf(text string) (time.Duration, error) {
	wait, err := time.ParseDuration(text)
	if err != nil || wait < 0 {
		return 0, fmt.Errorf("%q: expected a time such as 200ms or 2s", text)
	}
	return max(wait, 1), nil
}

// PlainWords name no flags.
var PlainWords = Words{
	NoAgent: errors.New(`"agent" is missing`),
	NoSite: func(url string) error {
		return fmt.Errorf("URL %q: expected an absolute URL, such as https://example.com/cart", url)
	},
	BadTarget: func(url string) error {
		return fmt.Errorf(`URL %q: expected an absolute URL, such as https://example.com/cart, or a path that begins with "/"`, url)
	},
}
