package crawlers_test

import (
	"fmt"

	"github.com/heed-robots/heed/crawlers"
)

func Example() {
	table := crawlers.Known()
	c, ok := table.Lookup("googlebot-image")
	fmt.Println(ok, c.Token, c.Operator, c.Agents())

	adsBot, _ := table.Lookup("AdsBot-Google")
	fmt.Println(adsBot.ObeysWildcard, adsBot.Chain)

	for c := range table.For(crawlers.AITraining) {
		if c.Crawls == crawlers.No {
			fmt.Println(c.Token, "is only a name in robots.txt")
		}
	}
	// Output:
	// true Googlebot-Image Google [Googlebot-Image Googlebot]
	// no [AdsBot-Google]
	// Applebot-Extended is only a name in robots.txt
	// Google-Extended is only a name in robots.txt
}
