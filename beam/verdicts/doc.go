// Package verdicts is a pipeline of Apache Beam that checks lists of URLs with archived robots.txt
// files, as "heed filter" does, on a cluster.
//
// The lists and the sources of robots.txt files are read file by file. The keys of lines and captures are
// hosts. A host with many lines is divided into shares, so that no worker takes much longer than the others. Redirects
// of robots.txt files to other hosts are followed with one join for each hop. After that, each share has all captures
// that its host needs, and no others. Package bulk then decides, as it does for heed filter.
package verdicts
