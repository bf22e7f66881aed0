module github.com/heed-robots/heed

go 1.26
