package redis_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"strings"
	"testing"

	"github.com/heed-robots/heed/heedtest"
	"github.com/heed-robots/heed/internal/testing/redistest"
	"github.com/heed-robots/heed/store/redis"
)

// Several crawlers share a Redis, so one retrieval of each robots.txt is enough for all.
func Example() {
	site := heedtest.Start("User-agent: *\nDisallow: /cart\n")
	defer site.Close()

	for range 3 { // three processes, on three machines
		store, err := redis.Open(os.Getenv("REDIS_URL"), redis.Options{})
		if err != nil {
			log.Fatal(err)
		}
		crawler := site.Crawler("ExampleBot/1.0 (+https://example.com/bot)")
		crawler.Store = store
		answer, err := crawler.Check(context.Background(), site.URL+"/cart")
		fmt.Println(answer.Allowed, err)
		crawler.Close()
		store.Close()
	}
	fmt.Println(site.Requests())
	// With a Redis, this prints:
	// false <nil>
	// false <nil>
	// false <nil>
	// [GET /robots.txt]
}

// The output of Example is the one in its comment, with a real Redis.
func TestExample(t *testing.T) {
	t.Setenv("REDIS_URL", redistest.Start(t).URL())
	want := strings.Repeat("false <nil>\n", 3) + "[GET /robots.txt]\n"
	if got := outputOf(t, Example); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// outputOf returns what a function writes to os.Stdout.
func outputOf(t *testing.T, f func()) string {
	t.Helper()
	file, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	stdout := os.Stdout
	os.Stdout = file
	defer func() { os.Stdout = stdout }()
	f()
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
