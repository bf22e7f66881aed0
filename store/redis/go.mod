module github.com/heed-robots/heed/store/redis

go 1.26.0

require (
	github.com/heed-robots/heed v0.0.0
	github.com/klauspost/compress v1.20.3
	github.com/redis/rueidis v1.0.79
)

require (
	github.com/jlaffaye/ftp v0.2.4 // indirect
	github.com/maypok86/otter/v2 v2.4.0 // indirect
	golang.org/x/net v0.62.0 // indirect
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/text v0.43.0 // indirect
)

replace github.com/heed-robots/heed => ../..
