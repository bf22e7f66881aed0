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

// a process with 30 file handles fails itself about many of 40 healthy sites, and
// stores none of it: with handles enough it answers from the sites at once.
func TestFewFileHandles(t *testing.T) {
	if sites := os.Getenv("HEED_TEST_SITES"); sites != "" {
		askWithFewHandles(t, strings.Fields(sites))
		return
	}
	var urls []string
	for range 40 {
		site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			time.Sleep(100 * time.Millisecond) // so that all are asked together
			fmt.Fprint(w, "User-agent: *\nDisallow: /private\n")
		}))
		defer site.Close()
		urls = append(urls, site.URL)
	}
	child := exec.Command(os.Args[0], "-test.run=^TestFewFileHandles$")
	child.Env = append(os.Environ(), "HEED_TEST_SITES="+strings.Join(urls, " "))
	if said, err := child.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, said)
	}
}

// askWithFewHandles is the process of its own whose limits are changed.
func askWithFewHandles(t *testing.T, urls []string) {
	store := cache.NewMemory(0, 0)
	fileHandles(t, 30)
	poor := &cache.Cache{Fetcher: anyone, Store: store}
	if n := failOfOurOwn(t, poor, urls); n == 0 || n == len(urls) {
		t.Errorf("%d of %d sites fail by too few file handles", n, len(urls))
	}
	poor.Close()
	for o := range store.Origins(context.Background()) {
		if r, err := store.Get(context.Background(), o); err != nil || r.Failed != nil {
			t.Errorf("%s is stored as unreachable: %+v, %v", o, r, err)
		}
	}
	fileHandles(t, 1000)
	rich := &cache.Cache{Fetcher: anyone, Store: store}
	defer rich.Close()
	if n := failOfOurOwn(t, rich, urls); n != 0 {
		t.Errorf("%d sites fail with file handles enough", n)
	}
}

// failOfOurOwn asks about all sites at once, and returns for how many that was a
// failure of our own; the others are allowed.
func failOfOurOwn(t *testing.T, c *cache.Cache, urls []string) (ours int) {
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

// fileHandles sets how many file handles this process may have.
func fileHandles(t *testing.T, most int) {
	t.Helper()
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	limit.Cur = uint64(most)
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
}
