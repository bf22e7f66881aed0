package fetch

// A Page is what a body is instead of a robots.txt, such as a login form or a challenge for
// browsers. Its lines that are records are read all the same.
type Page string

// The kinds of pages.
const (
	NoPage Page = ""     // none of the others
	HTML   Page = "html" // an HTML page
	JSON   Page = "json" // one JSON value
)

// String returns the kind as words, such as "an HTML page"; "" for NoPage.
func (p Page) String() string {
	switch p {
	case HTML:
		return "an HTML page"
	case JSON:
		return "a JSON value"
	}
	return ""
}
