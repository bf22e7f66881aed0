package gate

import (
	"bytes"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime"
	"strings"
	"sync/atomic"

	"github.com/heed-robots/heed/internal/asked"
)

// Tokens has the bearer tokens (RFC 6750) of a file, one in each line. Only hashes stay in memory.
type Tokens struct {
	Path   string
	hashes atomic.Pointer[[]hash]
}

type hash [sha256.Size]byte

const (
	minToken      = 16      // a shorter token can be guessed
	maxTokens     = 1_000   // each token in a request is compared with all tokens
	MaxTokensFile = 1 << 20 // in bytes
)

// ReadTokens refuses a file that all users of this machine can read.
func ReadTokens(path string) (*Tokens, error) {
	t := &Tokens{Path: path}
	_, err := t.Read()
	return t, err
}

// Read reads the file again. After an error, the old tokens still apply.
func (t *Tokens) Read() (tokens int, err error) {
	hashes, err := readTokens(t.Path)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", t.Path, err)
	}
	t.hashes.Store(&hashes)
	return len(hashes), nil
}

func readTokens(path string) (hashes []hash, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, withoutPath(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, withoutPath(err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o007 != 0 {
		return nil, fmt.Errorf("every user of this machine can access the file with the tokens (mode %#o): run chmod o= %s, so that only its owner and group can read it", info.Mode().Perm(), path)
	}
	text, err := io.ReadAll(io.LimitReader(f, MaxTokensFile+1))
	if err != nil {
		return nil, withoutPath(err)
	}
	if len(text) > MaxTokensFile {
		return nil, fmt.Errorf("the file with the tokens has more than %d bytes: remove some tokens", MaxTokensFile)
	}
	number := 0
	for line := range bytes.Lines(text) {
		number++
		token := bytes.TrimSpace(line)
		if len(token) == 0 || token[0] == '#' {
			continue
		}
		if err := checkToken(token); err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		if hashes = append(hashes, sha256.Sum256(token)); len(hashes) > maxTokens {
			return nil, fmt.Errorf("the file has more than %d tokens of clients: remove some lines", maxTokens)
		}
	}
	if len(hashes) == 0 {
		return nil, errors.New("the file has no token: expected one token in each line")
	}
	return hashes, nil
}

// The error must not show the token, because it goes into logs.
func checkToken(token []byte) error {
	const marks = "-._~+/="
	for _, c := range token {
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte(marks, c) >= 0) {
			return fmt.Errorf(`the token has a character that cannot be sent in a header: expected only letters a to z and A to Z, digits and %s`, marks)
		}
	}
	if len(token) < minToken {
		return fmt.Errorf("the token has %d characters: expected at least %d; the command openssl rand -hex 32 makes a good token", len(token), minToken)
	}
	return nil
}

func withoutPath(err error) error {
	if outer, ok := errors.AsType[*os.PathError](err); ok {
		return outer.Err
	}
	return err
}

// The time of hasToken must not depend on the token. If the time did, an attacker could measure how much of a guess
// is right.
func (t *Tokens) hasToken(token string) bool {
	if t == nil {
		return false
	}
	given, found := sha256.Sum256([]byte(token)), 0
	for _, known := range *t.hashes.Load() {
		found |= subtle.ConstantTimeCompare(given[:], known[:])
	}
	return found == 1
}

// A token of AdminTokens may also ask questions.
func (g *Gate) checkToken(w http.ResponseWriter, r *http.Request, a Access) error {
	switch {
	case a == Open, a == Asks && g.Tokens == nil:
		return nil
	case a == Admin && g.AdminTokens == nil:
		return &asked.Problem{Status: http.StatusForbidden, Err: errors.New("requests for administration are not allowed: the server was started without --admin-token-file")}
	}
	token, why := bearer(r)
	if why == nil {
		// Both files are always searched, so that the time does not show which one has the token.
		admitted, asking := g.AdminTokens.hasToken(token), g.Tokens.hasToken(token)
		if admitted || asking && a == Asks {
			return nil
		}
		why = errors.New("the server does not know this token: expected one from its --token-file or --admin-token-file")
		if asking {
			why = errors.New("this token is only for questions, not for administration: expected a token from the --admin-token-file of the server")
		}
	}
	w.Header()["Www-Authenticate"] = []string{`Bearer realm="heed"`}
	return &asked.Problem{Status: http.StatusUnauthorized, Err: why}
}

func bearer(r *http.Request) (token string, err error) {
	values := r.Header["Authorization"]
	if len(values) != 1 {
		return "", errors.New("this server needs a token: send one header \"Authorization: Bearer TOKEN\"")
	}
	scheme, token, _ := strings.Cut(values[0], " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return "", errors.New("the Authorization header does not have the scheme Bearer: send \"Authorization: Bearer TOKEN\"")
	}
	return strings.TrimLeft(token, " "), nil
}
