module github.com/heed-robots/heed

go 1.26.0

require golang.org/x/net v0.62.0

require golang.org/x/text v0.43.0

require (
	github.com/jlaffaye/ftp v0.2.4
	github.com/maypok86/otter/v2 v2.4.0
	golang.org/x/sync v0.24.0
)
