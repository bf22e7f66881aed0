// Package compare finds out exactly how two policies differ: either it proves that every URL has the same verdict, or it
// finds URLs with different verdicts, the shortest one for each changed rule.
//
// Policies compares two policies, Files compares two files for every crawler, and Rules finds the rules of a policy that
// never decide, or that change nothing. Preferences compares what two files say about the use of content, as package usage
// reads them.
//
//	r := compare.Files(ctx, old, new) // of *robotstxt.File
//	for _, c := range r.Crawlers {
//		fmt.Println(c, c.Result.Outcome, c.Result.Changes)
//	}
//
// # How
//
// A changed rule is a rule that only one of the policies has. If two policies disagree about a path, a changed rule decides
// about the path in one of them. So for each changed rule, the package searches the shortest path where this rule decides
// and the other policy has the opposite verdict.
//
// Each pattern is an automaton. The search is a breadth-first search in the product of automata. It begins with the pattern
// of the changed rule. If another rule decides about the path that is found, the pattern of that rule is added as a pattern
// that must not match, and the search begins again. Few patterns are needed, even in large files. If no path is left, it is
// proved that the changed rule causes no difference.
//
// Every path that is found is checked with both policies (Policy.Check). The shortest path is the one with the fewest bytes
// in normal form. A path that begins with "//" counts as longer than all other paths, because Google's parser and browsers
// would read a host at its start. If the shortest path has empty segments, and the segment "x" in their place has the same
// decisions, Policies returns the path with "x".
//
// # Limits
//
// Whether a rule ever decides is NP-hard if patterns have several wildcards. So the work is limited to MaxWork steps. A
// comparison that needs more is Undecided, never Equal. The same question has the same answer on every machine, because the
// limit counts steps and not time.
package compare
