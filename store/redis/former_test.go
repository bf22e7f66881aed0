package redis_test

import (
	"errors"
	"testing"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/store/redis"
)

// The fields that the first version of the store wrote for two versions of a file.
const (
	formerHead = `1 5e79fa48ba14bc6fc4b0e4bb56bd2c41137114204d939d79a8d953068632632d {"origin":"https://site-1.example","copy":{"hops":[{"url":"http://a.example/robots.txt","status":301,"location":"https://site-1.example/robots.txt"},{"url":"https://site-1.example/robots.txt","status":200}],"status":200,"truncated":true,"encoding":"utf-16le","header":{"Cache-Control":["max-age=5","public"],"Etag":["\"1\""]},"start":"2026-05-04T11:59:59Z","end":"2026-05-04T12:00:00Z"},"known_is_copy":true,"size":3,"sum":"3fc4ccfe745870e2c0d99f71f30ff0656c8dedd41cc1d7d3d376b0dbe685e2f3"}`
	formerOne  = "(\xb5/\xfd\x04\x00\x19\x00\x00one\xf6\xa1\b$"
	formerTwo  = "(\xb5/\xfd\x04\x00\x19\x00\x00two\x8bD\xf4\xec"
	sumOfOne   = "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed"
	sumOfTwo   = "3fc4ccfe745870e2c0d99f71f30ff0656c8dedd41cc1d7d3d376b0dbe685e2f3"
)

// TestFormerHashesAreRead: a record of the first version is read, or is an ErrWrongRecord if
// the format of its head has changed. Its history is read, and a Put continues it.
func TestFormerHashesAreRead(t *testing.T) {
	s, raw := setup(t, redis.Options{})
	runCommand(t, raw, "HSET", key, "head", formerHead, "body", formerTwo)
	runCommand(t, raw, "HSET", versions, sumOfOne, formerOne, sumOfTwo, formerTwo, "index",
		"01777896000000000000 01777896000000000000 200 "+sumOfTwo+"\n01777809600000000000 01777809600000000000 200 "+sumOfOne)
	r, err := s.Get(ctx, site)
	if err != nil && !errors.Is(err, cache.ErrWrongRecord) || err == nil && string(r.Body()) != "two" {
		t.Errorf("got %v, %v", r, err)
	}
	if got := history(t, s); got != "two one" {
		t.Errorf("history %q", got)
	}
	put(t, s, 2, "three")
	if r, err := s.Get(ctx, site); err != nil || string(r.Body()) != "three" || history(t, s) != "three two one" {
		t.Errorf("after a Put: %v, %v; history %q", r, err, history(t, s))
	}
}
