module github.com/heed-robots/heed/bench

go 1.26.0

require (
	github.com/heed-robots/heed v0.0.0
	github.com/temoto/robotstxt v1.1.2
)

require (
	github.com/jlaffaye/ftp v0.2.4 // indirect
	github.com/maypok86/otter/v2 v2.4.0 // indirect
	golang.org/x/net v0.62.0 // indirect
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/text v0.43.0 // indirect
)

replace github.com/heed-robots/heed => ../
