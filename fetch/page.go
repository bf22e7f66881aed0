package fetch

// A Page says what a body is if it is not a robots.txt. The rules in such a body still apply.
type Page string

// The kinds of pages.
const (
	NoPage Page = ""     // the body is neither HTML nor JSON
	HTML   Page = "html" // the body is an HTML page
	JSON   Page = "json" // the body is one JSON value
)

// String returns the kind as words, such as "an HTML page", or "" for NoPage.
func (p Page) String() string {
	switch p {
	case HTML:
		return "an HTML page"
	case JSON:
		return "a JSON value"
	}
	return ""
}
