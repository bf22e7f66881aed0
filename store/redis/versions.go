package redis

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/redis/rueidis"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/origin"
)

// A line describes one version of a robots.txt. The field answer has the status and the SHA-256 of the body, such as
// "200 7692c3ad…", or "404 -" without a body.
type line struct{ first, last, answer string }

const noBody = "-"

func newLine(v cache.Version) line {
	name := noBody
	if v.Body != nil {
		name = sum(v.Body)
	}
	return line{first: digits(v.First), last: digits(v.Last), answer: strconv.Itoa(v.Status) + " " + name}
}

func sum(body []byte) string {
	s := sha256.Sum256(body)
	return hex.EncodeToString(s[:])
}

// digits returns a time as 20 digits of nanoseconds since 1970. put.lua compares texts, because its numbers are not exact.
func digits(t time.Time) string {
	if t.Before(time.Unix(0, 0)) {
		return fmt.Sprintf("%020d", 0)
	}
	return fmt.Sprintf("%020d", t.UnixNano())
}

var (
	//go:embed history.lua
	historyText   string
	historyScript = script(historyText)
)

// maxHistory also counts the index and the names of the fields.
const maxHistory = 2 * maxPacked

// History implements cache.Store. If a version is corrupt, History returns no versions and an ErrWrongRecord. The next
// Put deletes the corrupt version.
func (s *Store) History(ctx context.Context, o origin.Origin) ([]cache.Version, error) {
	found, err := ask(ctx, s.link, s.versionsKey(o), func(ctx context.Context, c rueidis.Client) (map[string]string, error) {
		reply := historyScript().Exec(ctx, c, []string{s.versionsKey(o)}, []string{strconv.Itoa(maxHistory)})
		if rueidis.IsRedisNil(reply.Error()) {
			return nil, nil
		}
		return reply.AsStrMap()
	})
	if err == nil && found == nil {
		err = fmt.Errorf("heed cannot use the history of %s in Redis, because it is too large: it has more than %d bytes: %w", o, maxHistory, cache.ErrWrongRecord)
	}
	if err != nil || len(found) == 0 {
		return nil, err
	}
	var history []cache.Version
	for text := range strings.SplitSeq(found["index"], "\n") {
		v, name, err := readLine(text)
		if err == nil && name != noBody {
			if v.Body, err = readBody(found, name); err != nil {
				s.deleteBody(ctx, o, name)
			}
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", o, err)
		}
		history = append(history, v)
	}
	return history, nil
}

func readLine(text string) (v cache.Version, bodyField string, err error) {
	words := strings.Split(text, " ")
	if len(words) != 4 {
		return v, "", fmt.Errorf("heed cannot use the history of this site in Redis, because a line of its index does not have four words: %w", cache.ErrWrongRecord)
	}
	var numbers [3]int64
	for i := range numbers {
		if numbers[i], err = strconv.ParseInt(words[i], 10, 64); err != nil {
			return v, "", fmt.Errorf("heed cannot use the history of this site in Redis, because a line of its index has a wrong number: %w: %v", cache.ErrWrongRecord, err)
		}
	}
	v = cache.Version{First: timeOf(numbers[0]), Last: timeOf(numbers[1]), Status: int(numbers[2])}
	return v, words[3], nil
}

func timeOf(nanoseconds int64) time.Time {
	if nanoseconds == 0 {
		return time.Time{}
	}
	return time.Unix(0, nanoseconds).UTC()
}

func readBody(found map[string]string, name string) ([]byte, error) {
	body, err := decompress(found[name])
	if err == nil && sum(body) != name {
		err = fmt.Errorf("heed cannot use the history of this site in Redis, because a version in it has a wrong checksum: %w", cache.ErrWrongRecord)
	}
	return body, err
}

// After the corrupt body is deleted, the next Put deletes its version.
func (s *Store) deleteBody(ctx context.Context, o origin.Origin, name string) {
	do(ctx, s.link, s.versionsKey(o), func(ctx context.Context, c rueidis.Client) error {
		return c.Do(ctx, c.B().Hdel().Key(s.versionsKey(o)).Field(name).Build()).Error()
	})
}
