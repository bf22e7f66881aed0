// Package documents has the tests of all documents: of code blocks, links and requirement ids, and of what the
// documents say about the repository, such as which packages may import which. If these tests were in package heed,
// they would add modules to the go.sum of every program that imports heed: "go mod tidy" also reads the tests of
// imported packages.
package documents
