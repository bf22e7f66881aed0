package redis

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/redis/rueidis"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/internal/zstandard"
	"github.com/heed-robots/heed/origin"
)

var (
	//go:embed get.lua
	getText string
	//go:embed put.lua
	putText string

	getScript    = script(getText)
	putScript    = script(putText)
	deleteScript = script(`redis.call('DEL', KEYS[1], KEYS[2]) redis.call('PUBLISH', ARGV[1], ARGV[2])`)
)

// A script is made when it is first used, so that programs that import this package start faster.
func script(text string) func() *rueidis.Lua {
	return sync.OnceValue(func() *rueidis.Lua { return rueidis.NewLuaScript(text) })
}

type fields struct {
	size       int64         // bytes of head and body; if these are too many bytes, head and body are empty
	left       time.Duration // until the hash expires
	head, body rueidis.RedisMessage
}

// Get implements cache.Store.
func (s *Store) Get(ctx context.Context, o origin.Origin) (*cache.Record, error) {
	found, err := ask(ctx, s.link, s.recordKey(o), func(ctx context.Context, c rueidis.Client) (fields, error) {
		return readFields(ctx, c, s.recordKey(o))
	})
	if err != nil {
		return nil, err
	}
	if found.size > maxPacked {
		return nil, fmt.Errorf("heed ignores the record of %s in Redis, because it is too large: it has %d bytes, and the limit is %d: %w", o, found.size, maxPacked, cache.ErrWrongRecord)
	}
	if found.head.IsNil() && found.body.IsNil() {
		return nil, fmt.Errorf("%s: %w", o, cache.ErrNotFound)
	}
	r, err := found.record(o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o, err)
	}
	if found.left < s.options.Keep/2 { // only after half of the time: otherwise every Get would also write
		s.renew(ctx, o)
	}
	return r, nil
}

var errReply = errors.New("the server sent a reply that Redis does not send to this command: use a server of Redis")

// A huge value would delay all other replies, so its fields are not read.
func readFields(ctx context.Context, c rueidis.Client, key string) (f fields, err error) {
	reply, err := getScript().Exec(ctx, c, []string{key}, []string{strconv.Itoa(maxPacked)}).ToArray()
	if _, replied := rueidis.IsRedisErr(err); replied { // the user may have no right to run scripts
		return readWithoutScript(ctx, c, key)
	}
	if err != nil {
		return f, err
	}
	if len(reply) != 1 && len(reply) != 4 {
		return f, errReply
	}
	if f.size, err = reply[0].AsInt64(); err != nil || len(reply) == 1 {
		return f, err
	}
	left, err := reply[1].AsInt64()
	f.left, f.head, f.body = time.Duration(left)*time.Millisecond, reply[2], reply[3]
	return f, err
}

func readWithoutScript(ctx context.Context, c rueidis.Client, key string) (f fields, err error) {
	for _, reply := range c.DoMulti(ctx,
		c.B().Hstrlen().Key(key).Field("head").Build(),
		c.B().Hstrlen().Key(key).Field("body").Build()) {
		size, err := reply.AsInt64()
		if err != nil {
			return f, err
		}
		f.size += size
	}
	if f.size > maxPacked {
		return f, nil
	}
	replies := c.DoMulti(ctx, c.B().Hmget().Key(key).Field("head", "body").Build(), c.B().Pttl().Key(key).Build())
	values, err := replies[0].ToArray()
	if err == nil && len(values) != 2 {
		err = errReply
	}
	if err != nil {
		return f, err
	}
	left, err := replies[1].AsInt64()
	f.head, f.body, f.left = values[0], values[1], time.Duration(left)*time.Millisecond
	return f, err
}

func (f *fields) record(o origin.Origin) (*cache.Record, error) {
	var head string
	var body []byte
	var err error
	if !f.head.IsNil() {
		if head, err = f.head.ToString(); err != nil {
			return nil, err
		}
	}
	if !f.body.IsNil() {
		packed, err := f.body.ToString()
		if err != nil {
			return nil, err
		}
		if body, err = decompress(packed); err != nil {
			return nil, err
		}
	}
	return cache.ReadRecord(o, []byte(head), body)
}

// If renew fails, the next Get tries again.
func (s *Store) renew(ctx context.Context, o origin.Origin) {
	keep := s.options.Keep.Milliseconds()
	do(ctx, s.link, s.recordKey(o), func(ctx context.Context, c rueidis.Client) error {
		replies := c.DoMulti(ctx,
			c.B().Pexpire().Key(s.recordKey(o)).Milliseconds(keep).Build(),
			c.B().Pexpire().Key(s.versionsKey(o)).Milliseconds(keep).Build())
		return replies[0].Error()
	})
}

// Put implements cache.Store. If a record is too large for Get, Put returns an error and changes nothing.
func (s *Store) Put(ctx context.Context, r *cache.Record) error {
	v, head, body := line{}, string(r.Head()), []string(nil)
	if version, ok := r.Version(); ok {
		v = newLine(version)
	}
	size := len(head)
	if r.Copy != nil {
		if len(r.Copy.Body) > zstandard.MaxBody {
			return fmt.Errorf("redis: the robots.txt of %s is too large: it has %d bytes, and at most %d can be kept, so heed does not store it", r.Origin, len(r.Copy.Body), zstandard.MaxBody)
		}
		body = []string{compress(r.Copy.Body)} // also the body of the version, if the version has one
		size += len(body[0])
	}
	if size > maxPacked {
		return fmt.Errorf("redis: the record of %s is too large: it has %d bytes after compression, and at most %d can be kept, so heed does not store it", r.Origin, size, maxPacked)
	}
	keys := s.keys(r.Origin)
	newer, err := ask(ctx, s.link, keys[0], func(ctx context.Context, c rueidis.Client) (bool, error) {
		return s.put(ctx, c, keys, s.notice(r.Origin), v, head, body...)
	})
	if newer {
		return fmt.Errorf("%s: %w", r.Origin, cache.ErrNewerFormat)
	}
	return err
}

func (s *Store) put(ctx context.Context, c rueidis.Client, keys []string, notice string, v line, head string, body ...string) (newer bool, err error) {
	args := append([]string{
		head,
		strconv.FormatInt(max(s.options.Keep.Milliseconds(), 1), 10), strconv.Itoa(s.options.Versions), strconv.Itoa(maxPacked),
		s.channel(), notice,
		v.answer, v.first, v.last,
	}, body...)
	reply := putScript().Exec(ctx, c, keys, args)
	text, _ := reply.ToString() // text is "" if the reply is an error or is not a text
	return text == "newer", s.setLastPut(unlessNil(reply.Error()))
}

func (s *Store) setLastPut(err error) error {
	if reply, replied := rueidis.IsRedisErr(err); err == nil || replied && !refused(reply) {
		s.lastPut.Store(&err)
	}
	return err
}

// Delete implements cache.Store. It does not delete the lease of the origin.
func (s *Store) Delete(ctx context.Context, o origin.Origin) error {
	keys := s.keys(o)
	return do(ctx, s.link, keys[0], func(ctx context.Context, c rueidis.Client) error {
		return s.delete(ctx, c, keys, s.notice(o))
	})
}

func (s *Store) delete(ctx context.Context, c rueidis.Client, keys []string, notice string) error {
	return unlessNil(deleteScript().Exec(ctx, c, keys, []string{s.channel(), notice}).Error())
}

func unlessNil(err error) error {
	if rueidis.IsRedisNil(err) {
		return nil
	}
	return err
}
