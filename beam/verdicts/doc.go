// Package verdicts is a pipeline of Apache Beam that checks lists of URLs with archived robots.txt
// files, as "heed filter" does, on a cluster.
//
// The lists and the sources of robots.txt files are read file by file. Lines and captures are keyed by
// host; a host with many lines is divided into shares, so that no worker waits for it. Redirects of
// robots.txt files to other hosts are followed with a join for each hop. Then each share has what the
// archives say about its host and nothing else, and package bulk decides, as it does for heed filter.
package verdicts
