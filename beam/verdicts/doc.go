// Package verdicts checks lists of URLs with archived robots.txt files, with the same verdicts as "heed filter". It
// is a pipeline of Apache Beam, which runs on a cluster.
//
// The pipeline has these steps. One worker reads each list of URLs, and one worker reads each file with robots.txt
// files. Then the lines and the captures of each host are put together. If a host has many lines, they are divided
// into shares, so that no worker takes much longer than the others. If a robots.txt redirects to another host, a join
// finds the capture of the target. There is one join for each redirect after another. Now each share has exactly the
// captures that its host needs, and package bulk decides about the lines.
package verdicts
