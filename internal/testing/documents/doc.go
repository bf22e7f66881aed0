// Package documents tests the documents: code blocks, links, requirement ids, and statements about the repository. In
// package heed, these tests would add modules to the go.sum of every importer.
package documents
