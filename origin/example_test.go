package origin_test

import (
	"fmt"

	"github.com/heed-robots/heed/origin"
)

func ExampleParse() {
	a, _ := origin.Parse("https://WWW.Example.com:443/cart?id=1")
	b, _ := origin.Parse("https://www.example.com/")
	fmt.Println(a == b, a, a.RobotsURL())
	// Output: true https://www.example.com https://www.example.com/robots.txt
}
