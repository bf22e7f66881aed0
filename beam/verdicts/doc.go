// Package verdicts is a pipeline of Apache Beam that checks lists of URLs with archived robots.txt
// files, as "heed filter" does, on a cluster.
//
// Each list and each source of robots.txt files is read by one worker. Then lines and captures are grouped by host. A host
// with many lines is divided into shares, so that no worker takes much longer than the others. Redirects of robots.txt files
// to other hosts are followed with one join for each hop. After that, each share has all captures that its host needs, and no
// others. Package bulk then decides, as it does for heed filter.
package verdicts
