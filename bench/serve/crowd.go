package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
	"github.com/heed-robots/heed/store/sqlite"
)

const (
	idleConnections = 10_000
	remembered      = 1_000_000
)

// crowd shows the memory of a daemon with many idle connections and many remembered origins,
// while a load asks about all of them.
func crowd(s settings) error {
	folder, err := os.MkdirTemp("", "heed-serve")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	start := time.Now()
	if err := remember(folder); err != nil {
		return err
	}
	fmt.Printf("%d origins remembered in %s\n", remembered, time.Since(start).Round(time.Second))
	heed, err := s.startHeed(folder, "--memory", "1024")
	if err != nil {
		return err
	}
	defer heed.stop()
	fmt.Printf("started: %d MiB\n", heed.memory("VmRSS"))
	var idle []net.Conn
	for len(idle) < idleConnections {
		c, err := net.Dial("tcp", heed.address)
		if err != nil {
			return fmt.Errorf("after %d connections: %w", len(idle), err)
		}
		defer c.Close()
		idle = append(idle, c)
	}
	fmt.Printf("%d idle connections: %d MiB\n", len(idle), heed.memory("VmRSS"))
	questions := make([]string, remembered)
	for i := range questions {
		questions[i] = "/v1/check?agent=ExampleBot&url=http://" + rememberedHost(i) + "/cart"
	}
	start = time.Now()
	failed := s.askEach(heed.address, questions)
	fmt.Printf("%d questions, each about another origin, in %s (%.0f/s): %d MiB, at most %d MiB; %d failed\n", len(questions), time.Since(start).Round(time.Second),
		float64(len(questions))/time.Since(start).Seconds(), heed.memory("VmRSS"), heed.memory("VmHWM"), failed)
	return nil
}

func rememberedHost(i int) string { return fmt.Sprintf("a%d.example", i) }

// remember puts records of many origins into the store of a folder, as if they had just been
// retrieved.
func remember(folder string) error {
	store, err := sqlite.Open(filepath.Join(folder, "robots.sqlite"), sqlite.Options{})
	if err != nil {
		return err
	}
	const batch = 10_000
	for first := 0; first < remembered; first += batch {
		results := make([]fetch.Result, batch)
		for i := range results {
			o, err := origin.Parse("http://" + rememberedHost(first+i) + "/")
			if err != nil {
				return err
			}
			now := time.Now()
			results[i] = fetch.Result{Origin: o, Status: 200, Start: now, End: now, Header: http.Header{}, Body: []byte(robotsOf(first + i).text())}
		}
		for _, err := range cache.Import(context.Background(), store, robotstxt.RFC9309, results) {
			if err != nil {
				return err
			}
		}
	}
	return store.Close()
}
