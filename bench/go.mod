module github.com/heed-robots/heed/bench

go 1.26.0

require (
	github.com/heed-robots/heed v0.0.0
	github.com/temoto/robotstxt v1.1.2
)

replace github.com/heed-robots/heed => ../
