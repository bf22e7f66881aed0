//go:build !unix

package sites

func makePipe(string) bool { return false }
