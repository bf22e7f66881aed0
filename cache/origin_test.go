package cache_test

import "github.com/heed-robots/heed/origin"

// originOf returns the origin of a URL that has one.
func originOf(url string) origin.Origin {
	o, err := origin.Parse(url)
	if err != nil {
		panic(err)
	}
	return o
}
