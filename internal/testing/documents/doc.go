// Package documents has the tests of all documents (code blocks, links, requirement ids) and of what they say about the
// tree, such as the floors of packages. They are not beside package heed, since "go mod tidy" also looks at the tests of
// what a program imports: each program would have the modules of these tests in its go.sum.
package documents
