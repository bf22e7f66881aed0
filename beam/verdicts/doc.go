// Package verdicts checks lists of URLs with archived robots.txt files, with the same verdicts as "heed filter". It
// is a pipeline of Apache Beam, which runs on a cluster.
//
// The pipeline has these steps:
//
//   - A worker reads each list of URLs, and each source of robots.txt files.
//   - The lines and the captures of each host are put together. If a host has many lines, they are divided into shares.
//   - If a robots.txt redirects to another host, a join finds the capture of the target. Each further redirect needs another join.
//   - Package bulk decides about the lines of each share, with the captures of its host.
package verdicts
