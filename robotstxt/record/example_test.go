package record_test

import (
	"fmt"

	"github.com/heed-robots/heed/robotstxt"
	"github.com/heed-robots/heed/robotstxt/record"
)

func ExampleParse() {
	fmt.Println(record.Parse("Request-rate", "30/1m 0600-0845"))
	fmt.Println(record.Parse("Crawl-delay", "soon"))
	// Output:
	// {30 1m0s {0600 0845}} <nil>
	// <nil> Crawl-delay "soon": expected seconds as a decimal number such as 10 or 0.5
}

// This reads every record of a file, also those of groups for other crawlers.
func ExampleParse_file() {
	const body = "User-agent: *\nContent-Signal: search=yes, ai-train=no\nUnicorns: 7\n"
	for line := range robotstxt.Parse([]byte(body), nil).Lines() {
		value, err := record.Parse(line.Key, line.Value)
		if signal, ok := value.(record.ContentSignal); ok {
			fmt.Println(line.Number, signal.Signals[1].Name, signal.Signals[1].Value)
		} else if line.Kind == robotstxt.KindOther {
			fmt.Println(line.Number, err)
		}
	}
	// Output:
	// 2 ai-train no
	// 3 no known record of a robots.txt has this name, so its value is not read
}

func ExampleLookup() {
	info, known := record.Lookup("visit-time")
	fmt.Println(info.Name, known, info.BindsFile, info.Dead)
	// Output: Visit-time true false true
}
