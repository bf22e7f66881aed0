// Package compare finds out exactly how two policies differ. Either it proves that every URL has the same verdict, or it
// finds the shortest URL for each changed rule.
//
// Policies compares two policies, and Files compares two files for every crawler. Rules finds the rules that never
// decide, and the rules that change nothing. Preferences compares what two files say about the use of content (see
// package usage).
//
//	r := compare.Files(ctx, old, new) // of *robotstxt.File
//	for _, c := range r.Crawlers {
//		fmt.Println(c, c.Result.Outcome, c.Result.Changes)
//	}
//
// The Crawlers may include purpose tokens such as Google-Extended, which are no crawlers; see FilesResult.WithoutTokens.
//
// # How
//
// A changed rule is a rule that only one of the policies has. If two policies disagree about a path, a changed rule decides
// about it in one of them. So the package searches, for each changed rule, the shortest path with opposite verdicts.
//
// Each pattern is an automaton. The search is breadth-first in the product of automata, and begins with the changed
// rule. If another rule decides about the path, the search begins again. The new search also requires that the pattern
// of this other rule does not match. If no path is left, the changed rule makes no difference.
//
// Every path that is found is checked with both policies. The shortest path has the fewest bytes in normal form. A path
// that begins with "//" counts as the longest, because browsers read a host there. Policies puts "x" into empty segments if
// the decisions stay the same.
//
// # Limits
//
// Whether a rule ever decides is NP-hard if patterns have several wildcards. So the work is limited to MaxWork steps. A
// comparison that needs more is Undecided, never Equal. The limit counts steps, so the answer is the same on every machine.
package compare
