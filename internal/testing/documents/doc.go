// Package documents has the tests of all documents: of code blocks, links and requirement ids, and of what the documents say about
// the repository, such as which packages may import which. The tests are not in package heed, because "go mod tidy" also reads the
// tests of imported packages: every program that imports heed would get the modules of these tests in its go.sum.
package documents
