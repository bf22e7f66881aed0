package cache_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/fetch"
)

// a process with only 30 file handles cannot fetch from all of 40 healthy sites. It does
// not store these failures of its own: with enough handles a Cache fetches at once.
func TestFewFileHandles(t *testing.T) {
	if sites := os.Getenv("HEED_TEST_SITES"); sites != "" {
		checkWithFewHandles(t, strings.Fields(sites))
		return
	}
	var urls []string
	for range 40 {
		site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			time.Sleep(100 * time.Millisecond) // so that all retrievals run at the same time
			fmt.Fprint(w, "User-agent: *\nDisallow: /private\n")
		}))
		defer site.Close()
		urls = append(urls, site.URL)
	}
	child := exec.Command(os.Args[0], "-test.run=^TestFewFileHandles$")
	child.Env = append(os.Environ(), "HEED_TEST_SITES="+strings.Join(urls, " "))
	if output, err := child.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, output)
	}
}

// checkWithFewHandles runs in a process of its own, since it changes the limit of file handles.
func checkWithFewHandles(t *testing.T, urls []string) {
	store := cache.NewMemory(0, 0)
	fileHandles(t, 30)
	few := &cache.Cache{Fetcher: anyone, Store: store}
	if n := countOurFailures(t, few, urls); n == 0 || n == len(urls) {
		t.Errorf("%d of %d retrievals fail with few file handles", n, len(urls))
	}
	few.Close()
	for o := range store.Origins(context.Background()) {
		if r, err := store.Get(context.Background(), o); err != nil || r.Failed != nil {
			t.Errorf("%s is stored as unreachable: %+v, %v", o, r, err)
		}
	}
	fileHandles(t, 1000)
	enough := &cache.Cache{Fetcher: anyone, Store: store}
	defer enough.Close()
	if n := countOurFailures(t, enough, urls); n != 0 {
		t.Errorf("%d retrievals fail with enough file handles", n)
	}
}

// countOurFailures checks all sites at the same time, and returns how many retrievals were a
// failure of our own. All others must be allowed.
func countOurFailures(t *testing.T, c *cache.Cache, urls []string) (ours int) {
	answers := make(chan cache.Answer)
	for _, url := range urls {
		go func() {
			a, err := c.Check(context.Background(), agents, url+"/public")
			if err != nil {
				t.Error(err)
			}
			answers <- a
		}()
	}
	for range urls {
		switch a := <-answers; {
		case errors.Is(a.Err, fetch.LocalFailure):
			ours++
		case !a.Allowed:
			t.Errorf("%+v", a)
		}
	}
	return ours
}

// fileHandles sets the limit of file handles of this process.
func fileHandles(t *testing.T, handles int) {
	t.Helper()
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	limit.Cur = uint64(handles)
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
}
