// Command serve measures "heed serve" on loopback, each in turns with another program: single requests beside
// a handler of package net/http that answers a constant of the same size, and streams beside "heed check
// --input jsonl".
//
//	go run ./bench/serve -heed ./heed load
//	go run ./bench/serve -heed ./heed stream
package main

import (
	"flag"
	"fmt"
	"os"
	"time"
)

// settings are the flags of a run.
type settings struct {
	heed        string        // the path of the command
	connections int           // of the load
	time        time.Duration // of each measurement
	rounds      int           // how often both sides are measured, in turns
	origins     int           // sites that questions are about
}

func main() {
	s := settings{}
	flag.StringVar(&s.heed, "heed", "./heed", "path of the command to measure")
	flag.IntVar(&s.connections, "connections", 32, "connections of the load")
	flag.DurationVar(&s.time, "time", 5*time.Second, "time of each measurement")
	flag.IntVar(&s.rounds, "rounds", 5, "how often both sides are measured, in turns")
	flag.IntVar(&s.origins, "origins", 200, "sites that the questions are about")
	constant := flag.String("constant", "", "answer all requests with this text, as the other side of a measurement")
	flag.Parse()
	if *constant != "" {
		serveConstant(*constant)
		return
	}
	runs := map[string]func(settings) error{"load": load, "stream": stream}
	run := runs[flag.Arg(0)]
	if run == nil {
		fmt.Fprintln(os.Stderr, "expected load or stream")
		os.Exit(2)
	}
	if err := run(s); err != nil {
		fmt.Fprintln(os.Stderr, "serve:", err)
		os.Exit(1)
	}
}
