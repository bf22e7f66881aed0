package server

import (
	"cmp"
	"errors"
	"net/http"

	"github.com/heed-robots/heed/cmd/heed/internal/message"
	"github.com/heed-robots/heed/identity"
	"github.com/heed-robots/heed/internal/asked"
	"github.com/heed-robots/heed/internal/report"
)

// Signing is what "heed serve --identity" signs with.
type Signing struct {
	Identity  *identity.Identity
	Directory *identity.Directory
	Token     string // the product token of the crawler whose identity it is: only what it may fetch is signed
}

// aboutSignature is a question of POST /v1/sign. It names no crawler: that is the daemon's own.
type aboutSignature struct {
	asked.Target
	Method   string   `json:"method"` // "": GET
	MaxWait  string   `json:"max_wait"`
	Approved []string `json:"approved"` // as polite.Transport.Approved has it
}

// signed is the member "request" of an answer: what to send.
type signed struct {
	Method  string            `json:"method"`
	URL     string            `json:"url"`     // exactly this one was signed
	Headers map[string]string `json:"headers"` // to send with it
}

var (
	errNoIdentity = &asked.Problem{Status: http.StatusNotFound, Err: errors.New("nothing is signed: the daemon was started without --identity")}
	errNoTokens   = &asked.Problem{Status: http.StatusForbidden, Err: errors.New("signatures are only for clients with a token: start the daemon with --token-file")}
)

// sign answers POST /v1/sign: may the crawler fetch a URL? If it may, the answer has a signature for this one request.
func (s *Server) sign(w http.ResponseWriter, r *http.Request) error {
	switch {
	case s.Signing == nil:
		return errNoIdentity
	case s.Tokens == nil:
		return errNoTokens
	}
	var q aboutSignature
	if err := message.ReadBody(r, &q); err != nil {
		return err
	}
	url, err := q.Bytes()
	if err != nil {
		return err
	}
	request, err := http.NewRequest(cmp.Or(q.Method, http.MethodGet), url, nil)
	if err != nil {
		return asked.Wrong("%v", err)
	}
	if request.URL.Scheme == "ftp" {
		return asked.Wrong("a request over ftp has no headers, so it cannot be signed")
	}
	request.URL.Fragment = "" // it is not sent
	about := aboutSite{Target: asked.Target{URL: request.URL.String()}, MaxWait: q.MaxWait, approved: q.Approved}
	about.Agent = report.Agent{s.Signing.Token}
	answer, body, err := s.decide(w, r, &about, nil)
	if err != nil {
		return err
	}
	if answer.Allowed {
		if err := s.Signing.Identity.SignFor(request); err != nil {
			return err
		}
		what := signed{request.Method, request.URL.String(), map[string]string{}}
		for name := range request.Header {
			what.Headers[name] = request.Header.Get(name)
		}
		body = append(report.AppendJSON(append(body[:len(body)-len("}")], `,"request":`...), what), '}')
	}
	message.WriteJSON(w, http.StatusOK, body)
	return nil
}

// directory answers GET with the directory of keys, with a signature of its own.
func (s *Server) directory(w http.ResponseWriter, r *http.Request) error {
	if s.Signing == nil {
		return errNoIdentity
	}
	s.Signing.Directory.ServeHTTP(w, r)
	return nil
}
