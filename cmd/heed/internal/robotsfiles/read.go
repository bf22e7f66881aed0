// Package robotsfiles has the robots.txt files that do not come from live sites: it reads them
// from the disk, or from questions, as a server would have sent them.
package robotsfiles

import (
	"fmt"

	"github.com/heed-robots/heed/fetch"
)

// Decode returns a robots.txt as UTF-8, and the encoding that it was in; "": UTF-8. A file that
// can be no robots.txt, such as an image, is a fetch.NoRobotsTxt error; the text is returned
// too.
func Decode(body []byte, name string) (text []byte, encoding string, err error) {
	if text, encoding, err = fetch.Text(body); err != nil {
		err = fmt.Errorf("robots.txt: %s: %w", name, err)
	}
	return text, encoding, err
}

// EncodingNotice is the notice that a robots.txt is not in UTF-8.
func EncodingNotice(path, encoding string) string {
	return fmt.Sprintf("robots.txt: %s is translated from %s", path, encoding)
}
