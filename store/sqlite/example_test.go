package sqlite_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/store/sqlite"
)

// A second process uses the robots.txt that the first one fetched.
func ExampleOpen() {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Println("robots.txt is fetched")
		fmt.Fprint(w, "User-agent: *\nDisallow: /cart\n")
	}))
	defer site.Close()
	folder, err := os.MkdirTemp("", "heed")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(folder)

	for range 2 {
		store, err := sqlite.Open(filepath.Join(folder, "robots.sqlite"), sqlite.Options{})
		if err != nil {
			panic(err)
		}
		c := &cache.Cache{Store: store, Fetcher: &fetch.Fetcher{AllowPrivate: true}}
		a, err := c.Check(context.Background(), []string{"ExampleBot"}, site.URL+"/cart")
		fmt.Println(a.Allowed, a.Rule.Line, err)
		c.Close()
		store.Close()
	}
	// Output:
	// robots.txt is fetched
	// false 2 <nil>
	// false 2 <nil>
}
