package redis_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/heed-robots/heed/cache/storetest"
	"github.com/heed-robots/heed/store/redis"
)

var sizes = map[string]string{
	"1KB":   strings.Repeat("Disallow: /a/path\n", 56),
	"500KB": strings.Repeat("Disallow: /a/path\n", 28_000),
}

func BenchmarkGet(b *testing.B) {
	store := open(b, startServer(b).URL(), redis.Options{Timeout: longTimeout})
	for name, body := range sizes {
		b.Run(name, func(b *testing.B) {
			if err := store.Put(ctx, storetest.Record(site, start, body)); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := store.Get(ctx, site); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkGetParallel(b *testing.B) {
	store := open(b, startServer(b).URL(), redis.Options{Timeout: longTimeout})
	if err := store.Put(ctx, storetest.Record(site, start, sizes["1KB"])); err != nil {
		b.Fatal(err)
	}
	b.SetParallelism(32)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := store.Get(ctx, site); err != nil {
				b.Error(err)
			}
		}
	})
}

func BenchmarkPut(b *testing.B) {
	store := open(b, startServer(b).URL(), redis.Options{Timeout: longTimeout})
	for name, body := range sizes {
		b.Run(name+"/same", func(b *testing.B) {
			for n := 0; b.Loop(); n++ {
				if err := store.Put(ctx, storetest.Record(site, start.Add(time.Duration(n)), body)); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(name+"/changed", func(b *testing.B) {
			for n := 0; b.Loop(); n++ {
				if err := store.Put(ctx, storetest.Record(site, start, fmt.Sprint(n, body))); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkGetWhenDown(b *testing.B) {
	store := open(b, newServer(b).URL(), redis.Options{})
	for b.Loop() {
		if _, err := store.Get(ctx, site); err == nil {
			b.Fatal("no error")
		}
	}
}
