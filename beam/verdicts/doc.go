// Package verdicts checks lists of URLs with archived robots.txt files, as "heed filter" does. It is a pipeline of Apache
// Beam.
//
// The pipeline has these steps:
//
//   - Workers read the lists of URLs and the sources of robots.txt files.
//   - The lines and the captures of each host come together. Many lines of one host become several shares.
//   - For a redirect to another host, a join finds the capture of the target. Each further redirect needs another join.
//   - Package bulk decides about the lines of each share.
package verdicts
