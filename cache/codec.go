package cache

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/origin"
)

// formatVersion is the first word of each stored record. A record with another version is not used.
var formatVersion = strconv.Itoa(formatNumber)

const formatNumber = 4

// ErrWrongRecord is the error of a stored record that is corrupt, or that another version of Heed wrote.
var ErrWrongRecord = errors.New("heed ignores what its cache has about this site, because it cannot use this data")

var errOtherFormat = fmt.Errorf("%w: another version of heed wrote the data", ErrWrongRecord)

// ErrNewerFormat is the error of a record that a newer version of Heed wrote. A Store must not replace such a record.
// Otherwise the two versions would delete each other's records. ErrNewerFormat wraps ErrWrongRecord.
var ErrNewerFormat = fmt.Errorf("%w: a newer version of heed wrote the data", errOtherFormat)

// IsNewer reports whether the Head of a record comes from a newer version of Heed.
func IsNewer(head []byte) bool {
	version, _, found := bytes.Cut(head, []byte(" "))
	n, err := strconv.ParseUint(string(version), 10, 32)
	return found && err == nil && len(version) <= 9 && version[0] != '0' && n > formatNumber
}

type storedRecord struct {
	Record
	Answered       *storedResult `json:"answered,omitempty"`
	Copy           *storedResult `json:"copy,omitempty"`
	AnsweredIsCopy bool          `json:"answered_is_copy,omitempty"`
	Failed         *storedResult `json:"failed,omitempty"`
	Size           int           `json:"size"`
	Sum            string        `json:"sum,omitempty"`
}

// A storedResult is a fetch.Result as a Store keeps it, without the origin and the body.
type storedResult struct {
	fetch.Result
	Error   string             `json:"error,omitempty"`
	Failure *fetch.FailureKind `json:"failure,omitempty"`
}

// Head encodes a record without its body, as one line of text. A Store keeps Head and Body for ReadRecord.
func (r *Record) Head() []byte {
	h := storedRecord{Record: *r, Copy: newStoredResult(r.Copy), Failed: newStoredResult(r.Failed)}
	if r.Copy != nil {
		h.Size, h.Sum = len(r.Copy.Body), checksum(r.Copy.Body)
	}
	if h.AnsweredIsCopy = r.Answered != nil && r.Answered == r.Copy; !h.AnsweredIsCopy {
		h.Answered = newStoredResult(r.Answered)
	}
	facts, err := json.Marshal(h)
	if err != nil {
		panic(err) // cannot happen, because JSON has a form for every field
	}
	return fmt.Appendf(nil, "%s %s %s", formatVersion, checksum(facts), facts)
}

// ReadRecord decodes the record of an origin from its Head and its Body. The error is an ErrWrongRecord if they are
// corrupt, or of another origin or format. The caller must not change body afterwards.
func ReadRecord(o origin.Origin, head, body []byte) (*Record, error) {
	version, rest, _ := strings.Cut(string(head), " ")
	sum, facts, _ := strings.Cut(rest, " ")
	var h storedRecord
	switch {
	case IsNewer(head):
		return nil, fmt.Errorf("%w: the record has the format %.10q, and this version reads the format %q: use the newer version", ErrNewerFormat, version, formatVersion)
	case version != formatVersion:
		return nil, fmt.Errorf("%w: the record has the format %.10q, and this version reads the format %q, so it fetches the robots.txt again", errOtherFormat, version, formatVersion)
	case sum != checksum([]byte(facts)):
		return nil, fmt.Errorf("%w: the checksum of the record is wrong", ErrWrongRecord)
	}
	if err := json.Unmarshal([]byte(facts), &h); err != nil {
		return nil, fmt.Errorf("%w: %v", ErrWrongRecord, err)
	}
	if h.Origin != o {
		return nil, wrongOrigin(h.Origin)
	}
	r := h.Record
	r.Answered, r.Copy, r.Failed = h.Answered.result(o), h.Copy.result(o), h.Failed.result(o)
	if r.Copy != nil {
		if len(body) != h.Size || checksum(body) != h.Sum {
			return nil, fmt.Errorf("%w: the checksum of the robots.txt is wrong", ErrWrongRecord)
		}
		r.Copy.Body = body
		if body == nil {
			r.Copy.Body = []byte{}
		}
	}
	if h.AnsweredIsCopy {
		r.Answered = r.Copy
	}
	if r.Last() == nil {
		return nil, fmt.Errorf("%w: the record has no retrieval", ErrWrongRecord)
	}
	return &r, nil
}

func wrongOrigin(o origin.Origin) error {
	return fmt.Errorf("%w: the record belongs to another site, %s", ErrWrongRecord, o)
}

func checksum(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

func newStoredResult(r *fetch.Result) *storedResult {
	if r == nil {
		return nil
	}
	j := &storedResult{Result: *r}
	if r.Err != nil {
		kind := failureKind(r)
		j.Error, j.Failure = r.Err.Error(), &kind
	}
	return j
}

func (j *storedResult) result(o origin.Origin) *fetch.Result {
	if j == nil {
		return nil
	}
	r := j.Result
	r.Origin = o
	if j.Failure != nil {
		r.Err = &fetch.Failure{Kind: *j.Failure, Text: j.Error}
	}
	return &r
}
