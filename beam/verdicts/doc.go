// Package verdicts checks lists of URLs with archived robots.txt files, with the same verdicts as "heed filter". It
// is a pipeline of Apache Beam, which runs on a cluster.
//
// The pipeline has these steps. Each list of URLs, and each source of robots.txt files, is read by one worker. Then
// the lines and the captures of each host are put together. If a host has many lines, they are divided into shares,
// so that no worker takes much longer than the others. If a robots.txt redirects to another host, a join of the
// pipeline finds the capture of the target. If the target redirects again, another join follows. Then each share has
// exactly the captures that its host needs. At the end, package bulk decides about the lines.
package verdicts
