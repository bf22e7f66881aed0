package polite_test

import (
	"strings"
	"testing"

	"github.com/heed-robots/heed/heedtest"
)

// A MaxDelay without a unit, which means nanoseconds, would turn the crawl delay off. It is an error, also for a site
// without a crawl delay.
func TestMaxDelayWithoutUnit(t *testing.T) {
	site := heedtest.NewSite(t, "User-agent: *\nDisallow: /cart\n")
	crawler := site.Crawler("ExampleBot/1.0")
	crawler.MaxDelay = 5
	response, err := crawler.Client().Get(site.URL + "/")
	if err == nil || !strings.Contains(err.Error(), "MaxDelay is 5ns: write it with a unit, such as 5 * time.Second") {
		t.Errorf("%v, %v", response, err)
	}
}
