package server

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/heed-robots/heed/cmd/heed/internal/message"
	"github.com/heed-robots/heed/identity"
	"github.com/heed-robots/heed/internal/ascii"
	"github.com/heed-robots/heed/internal/asked"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/internal/report"
)

// Signing has what "heed serve --identity" needs to sign requests.
type Signing struct {
	Identity  *identity.Identity
	Directory *identity.Directory
	UserAgent string // the User-Agent of the crawler that has the Identity
	Token     string // the product token in UserAgent; the server signs only requests that this crawler may make
}

// A signQuestion names no crawler, because the server has the keys of only one.
type signQuestion struct {
	asked.Target
	Method   string   `json:"method"` // "": GET
	MaxWait  string   `json:"max_wait"`
	Approved []string `json:"approved"` // the SHA-256 sums of robots.txt files that a person has approved; see polite.Transport.Approved
}

// signed is the member "request" of an answer. It is the request that the client may send.
type signed struct {
	Method  string            `json:"method"`
	URL     string            `json:"url"`     // the URL that was signed; the crawler must request exactly this URL
	Headers map[string]string `json:"headers"` // the headers that the crawler must send with the request
}

var (
	errNoIdentity = &asked.Problem{Status: http.StatusNotFound, Err: errors.New("this server cannot sign requests: it was started without --identity")}
	errNoTokens   = &asked.Problem{Status: http.StatusForbidden, Err: errors.New("this server signs only for clients with a token, and it was started without --token-file")}
)

func (s *Server) answerSign(w http.ResponseWriter, r *http.Request) error {
	switch {
	case s.Signing == nil:
		return errNoIdentity
	case s.Tokens == nil:
		return errNoTokens
	}
	var q signQuestion
	if err := message.ReadBody(r, &q); err != nil {
		return err
	}
	url, err := q.Bytes()
	if err != nil {
		return err
	}
	request, err := requestTo(cmp.Or(q.Method, http.MethodGet), url)
	if err != nil {
		return err
	}
	if err := checkApproved(q.Approved); err != nil {
		return err
	}
	about := siteQuestion{Target: asked.Target{URL: request.URL.String()}, MaxWait: q.MaxWait, approved: q.Approved}
	about.Agent = report.Agent{s.Signing.Token}
	answer, body, err := s.decide(w, r, &about, nil)
	if err != nil {
		return err
	}
	if answer.Allowed {
		if err := s.Signing.Identity.SignFor(request); err != nil {
			return err
		}
		what := signed{request.Method, request.URL.String(), map[string]string{"User-Agent": s.Signing.UserAgent}}
		for name := range request.Header {
			what.Headers[name] = request.Header.Get(name)
		}
		body = append(report.AppendJSON(append(body[:len(body)-len("}")], `,"request":`...), what), '}')
	}
	message.WriteJSON(w, http.StatusOK, body)
	return nil
}

var methods = []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions}

func requestTo(method, url string) (*http.Request, error) {
	o, err := originOf(url)
	switch {
	case err != nil:
		return nil, err
	case o.Scheme() == "ftp":
		return nil, asked.Wrong("a request over ftp has no headers, so it cannot be signed")
	case !slices.Contains(methods, method):
		return nil, asked.Wrong("a request with the method %s cannot be signed; expected one of %s", printable.Quote(method), strings.Join(methods, ", "))
	}
	request, err := http.NewRequest(method, url, nil)
	if err != nil {
		return nil, asked.Wrong("%v", err)
	}
	u := request.URL
	for segment := range strings.SplitSeq(strings.ReplaceAll(strings.ToLower(u.EscapedPath()), "%2e", "."), "/") {
		if segment == "." || segment == ".." { // such a URL is not signed: some clients remove these segments before they send the request, others do not
			return nil, asked.Wrong("the path of the URL has dot segments (\".\" or \"..\"); expected the path without them")
		}
	}
	u.Host, u.User, u.Fragment = o.Authority(), nil, ""
	u.RawQuery = encodedQuery(u.RawQuery)
	return request, nil
}

// encodedQuery encodes characters such as spaces. Some clients would encode them, others refuse to send them.
func encodedQuery(query string) string {
	var b strings.Builder
	for i := range len(query) {
		if c := query[i]; c <= ' ' || c > '~' || strings.IndexByte("\"'<>\\^`{|}", c) >= 0 {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

const maxApproved = 100

func checkApproved(sums []string) error {
	if len(sums) > maxApproved {
		return asked.Wrong("approved: %d elements; expected at most %d", len(sums), maxApproved)
	}
	for _, sum := range sums {
		if sum != "" && !ascii.IsSHA256(sum) {
			return asked.Wrong("approved: %s: expected the 64 hexadecimal digits of a SHA-256, or \"\" for a site without a robots.txt", printable.Quote(sum))
		}
	}
	return nil
}

func (s *Server) answerDirectory(w http.ResponseWriter, r *http.Request) error {
	if s.Signing == nil {
		return errNoIdentity
	}
	s.Signing.Directory.ServeHTTP(w, r)
	return nil
}
