package redis_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/redis/rueidis"

	"github.com/heed-robots/heed/cache/storetest"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/store/redis"
)

// records of format 1 are not used.
func TestOldFormat(t *testing.T) {
	text, err := os.ReadFile("testdata/records-1.json")
	if err != nil {
		t.Fatal(err)
	}
	var hashes map[string]map[string][]byte
	if err := json.Unmarshal(text, &hashes); err != nil {
		t.Fatal(err)
	}
	s := startServer(t)
	raw := s.raw()
	for key, fields := range hashes {
		command := raw.B().Hset().Key(key).FieldValue()
		for field, value := range fields {
			command = command.FieldValue(field, rueidis.BinaryString(value))
		}
		if err := raw.Do(ctx, command.Build()).Error(); err != nil {
			t.Fatal(err)
		}
	}
	storetest.RunOldFormat(t, open(t, s.URL(), redis.Options{}))
}

func TestNewerFormat(t *testing.T) {
	s := startServer(t)
	raw := s.raw()
	keyOf := func(o origin.Origin) string { return strings.Replace(key, site.String(), o.String(), 1) }
	head := func(o origin.Origin) string {
		text, err := raw.Do(ctx, raw.B().Hget().Key(keyOf(o)).Field("head").Build()).ToString()
		if err != nil {
			t.Error(err)
		}
		return text
	}
	storetest.RunNewerFormat(t, open(t, s.URL(), redis.Options{}), head, func(o origin.Origin, head string) {
		if err := raw.Do(ctx, raw.B().Hset().Key(keyOf(o)).FieldValue().FieldValue("head", head).Build()).Error(); err != nil {
			t.Error(err)
		}
	})
}
