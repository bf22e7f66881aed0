package redis

import (
	"context"
	_ "embed"
	"fmt"
	"strconv"
	"time"

	"github.com/redis/rueidis"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/origin"
)

//go:embed put.lua
var putText string

var (
	putScript    = rueidis.NewLuaScript(putText)
	deleteScript = rueidis.NewLuaScript(`redis.call('DEL', KEYS[1], KEYS[2]) redis.call('PUBLISH', ARGV[1], ARGV[2])`)
)

// fields are what the hash of a record holds.
type fields struct {
	head, body rueidis.RedisMessage
	left       time.Duration // until it expires
}

// Get implements cache.Store.
func (s *Store) Get(ctx context.Context, o origin.Origin) (*cache.Record, error) {
	found, err := ask(ctx, s.link, s.recordKey(o), func(ctx context.Context, c rueidis.Client) (fields, error) {
		return readFields(ctx, c, s.recordKey(o))
	})
	if err != nil {
		return nil, err
	}
	if found.head.IsNil() && found.body.IsNil() {
		return nil, fmt.Errorf("%s: %w", o, cache.ErrNotFound)
	}
	r, err := found.record()
	if err == nil && r.Origin != o {
		err = fmt.Errorf("%w: it is that of %s", cache.ErrWrongRecord, r.Origin)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o, err)
	}
	if found.left < s.options.Keep/2 { // not each time: that would make every reading a writing
		s.renew(ctx, o)
	}
	return r, nil
}

func readFields(ctx context.Context, c rueidis.Client, key string) (f fields, err error) {
	replies := c.DoMulti(ctx, c.B().Hmget().Key(key).Field("head", "body").Build(), c.B().Pttl().Key(key).Build())
	values, err := replies[0].ToArray()
	if err != nil {
		return f, err
	}
	left, err := replies[1].AsInt64()
	f.head, f.body, f.left = values[0], values[1], time.Duration(left)*time.Millisecond
	return f, err
}

func (f *fields) record() (*cache.Record, error) {
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
	return cache.ReadRecord([]byte(head), body)
}

// renew keeps an origin for longer. Where that fails, the next who asks does it.
func (s *Store) renew(ctx context.Context, o origin.Origin) {
	keep := s.options.Keep.Milliseconds()
	ask(ctx, s.link, s.recordKey(o), func(ctx context.Context, c rueidis.Client) (struct{}, error) {
		replies := c.DoMulti(ctx,
			c.B().Pexpire().Key(s.recordKey(o)).Milliseconds(keep).Build(),
			c.B().Pexpire().Key(s.versionsKey(o)).Milliseconds(keep).Build())
		return struct{}{}, replies[0].Error()
	})
}

// Put implements cache.Store.
func (s *Store) Put(ctx context.Context, r *cache.Record) error {
	v := line{}
	if version, ok := r.Version(); ok {
		v = newLine(version)
	}
	args := []string{
		string(r.Head()),
		strconv.FormatInt(max(s.options.Keep.Milliseconds(), 1), 10), strconv.Itoa(s.options.Versions),
		s.channel(), s.notice(r.Origin),
		v.what, v.first, v.last,
	}
	if r.Copy != nil {
		args = append(args, compress(r.Copy.Body)) // a version that has a body has this one
	}
	return s.run(ctx, putScript, r.Origin, args...)
}

// Delete implements cache.Store. Who has the lease of the origin keeps it.
func (s *Store) Delete(ctx context.Context, o origin.Origin) error {
	return s.run(ctx, deleteScript, o, s.channel(), s.notice(o))
}

// run runs a script on the record of an origin and its versions.
func (s *Store) run(ctx context.Context, script *rueidis.Lua, o origin.Origin, args ...string) error {
	keys := []string{s.recordKey(o), s.versionsKey(o)}
	_, err := ask(ctx, s.link, keys[0], func(ctx context.Context, c rueidis.Client) (struct{}, error) {
		return struct{}{}, unlessNil(script.Exec(ctx, c, keys, args).Error())
	})
	return err
}

// unlessNil takes the answer that there is nothing for no error.
func unlessNil(err error) error {
	if rueidis.IsRedisNil(err) {
		return nil
	}
	return err
}
