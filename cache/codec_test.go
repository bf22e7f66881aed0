package cache_test

import (
	"bytes"
	"errors"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/cache/storetest"
	"github.com/heed-robots/heed/fetch"
)

// ReadRecord does not panic. A record that it returns is the same after Head and ReadRecord.
func FuzzReadRecord(f *testing.F) {
	r := storetest.Record(storetest.Origin(1), time.Unix(1, 0).UTC(), "User-agent: *\n")
	f.Add(r.Head(), r.Body())
	f.Add([]byte(`1 44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a {}`), []byte(nil))
	f.Add([]byte("2 x"), []byte("y"))
	f.Fuzz(func(t *testing.T, head, body []byte) {
		r, err := cache.ReadRecord(storetest.Origin(1), head, body)
		if err != nil {
			if !errors.Is(err, cache.ErrWrongRecord) || r != nil {
				t.Errorf("%v, %v", r, err)
			}
			return
		}
		again, err := cache.ReadRecord(r.Origin, r.Head(), r.Body())
		if err != nil || !bytes.Equal(again.Head(), r.Head()) || !bytes.Equal(again.Body(), r.Body()) {
			t.Errorf("%q becomes %q: %v", head, r.Head(), err)
		}
	})
}

// ReadRecord refuses the record of another origin.
func TestReadRecordOfAnotherOrigin(t *testing.T) {
	r := storetest.Record(storetest.Origin(1), time.Unix(1, 0).UTC(), "User-agent: *\n")
	if got, err := cache.ReadRecord(storetest.Origin(2), r.Head(), r.Body()); !errors.Is(err, cache.ErrWrongRecord) || !strings.Contains(err.Error(), "the record belongs to another site, "+r.Origin.String()) {
		t.Errorf("%v, %v", got, err)
	}
}

// Head and ReadRecord keep all facts of a retrieval.
func TestReadRecordKeepsFacts(t *testing.T) {
	o, at := storetest.Origin(1), time.Unix(9, 0).UTC()
	file := &fetch.Result{
		Origin: o, Hops: []fetch.Hop{{URL: "https://a.example/", Status: 301, Location: "/b"}, {URL: o.RobotsURL(), Status: 200}}, Status: 200,
		Body: []byte("x"), Truncated: true, Encoding: "utf-16le", Page: fetch.JSON, Header: http.Header{"Etag": {`"1"`}}, Start: at, End: at.Add(1),
	}
	page := &fetch.Result{Origin: o, Status: 500, SaysNotFound: true, Start: at, End: at.Add(2)}
	failed := &fetch.Result{Origin: o, Err: &fetch.Failure{Kind: fetch.NoRobotsTxt, Text: "why"}, Start: at, End: at.Add(3)}
	for _, r := range []*cache.Record{
		{Origin: o, Answered: file, Copy: file},
		{Origin: o, Answered: page, Copy: file, Failed: failed, FailingSince: at, Failures: 7, Statuses: "r", MixedStatuses: true},
	} {
		if got, err := cache.ReadRecord(r.Origin, r.Head(), r.Body()); err != nil || !reflect.DeepEqual(got, r) {
			t.Errorf("%s: got %+v, %v", r.Head(), got, err)
		}
	}
}

// ReadRecord refuses a record if any one bit is changed.
func TestReadRecordWithChangedBit(t *testing.T) {
	r := storetest.Record(storetest.Origin(1), time.Unix(1, 0).UTC(), "User-agent: *\n")
	for _, part := range [][]byte{r.Head(), r.Body()} {
		for i := range 8 * len(part) {
			head, body := r.Head(), bytes.Clone(r.Body())
			if len(part) == len(head) {
				head[i/8] ^= 1 << (i % 8)
			} else {
				body[i/8] ^= 1 << (i % 8)
			}
			if got, err := cache.ReadRecord(r.Origin, head, body); !errors.Is(err, cache.ErrWrongRecord) {
				t.Fatalf("bit %d: %v, %v", i, got, err)
			}
		}
	}
}

// Head and ReadRecord keep the count of failures.
func TestReadRecordKeepsFailures(t *testing.T) {
	at := time.Date(2026, 5, 3, 12, 0, 0, 5, time.UTC)
	o := storetest.Origin(1)
	r := &cache.Record{
		Origin: o, Failed: &fetch.Result{Origin: o, Err: &fetch.Failure{Kind: fetch.TimedOut, Text: "no answer"}, End: at},
		Failures: 7, FailingSince: at.Add(-time.Hour), Counted: 5, LongestGap: time.Minute + 1, Statuses: "x", MixedStatuses: true,
	}
	got, err := cache.ReadRecord(r.Origin, r.Head(), r.Body())
	if err != nil || !reflect.DeepEqual(got, r) {
		t.Errorf("%+v, %v, want %+v", got, err, r)
	}
}
