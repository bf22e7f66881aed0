package robotstxt

// CheckRequest decides about a request for a target. Browsers change some characters of a target before they request
// it. CheckRequest allows a target only if both are allowed: the target as written (as in Check), and the URL that browsers
// request. Browsers remove tabs and line ends, and white space at the end. Before the query or the fragment, they read a
// backslash as "/". They escape a NUL, which would end the URL for Google's parser.
//
// CheckRequest does not resolve "." and "..". It allocates memory only for a target with a character that browsers change.
func (p *Policy) CheckRequest(target string) (d Decision) {
	if p.decide(&d, target, nil) || !d.Allowed || !isReadInTwoWays(target) {
		return d
	}
	if b := p.Check(asBrowser(target)); !b.Allowed {
		return b
	}
	return d
}

// Requested returns the URL from which the decision of CheckRequest comes, for example for Explain. Usually this is the target
// itself. If only the URL that browsers request is disallowed, it is that URL.
func (p *Policy) Requested(target string) string {
	if p.CheckRequest(target).Allowed || !p.Check(target).Allowed {
		return target
	}
	return asBrowser(target)
}

func isReadInTwoWays(target string) bool {
	i := 0
	for ; i+8 <= len(target); i += 8 {
		if w := eightAt(target, i); markBelow(w, '\r'+1)|markBelow(w^lowBits*'\\', 1) != 0 { // these eight bytes may contain a byte that browsers change
			break
		}
	}
	for ; i < len(target); i++ {
		switch target[i] {
		case '\\', '\t', '\n', '\r', 0:
			return true
		}
	}
	return target != "" && target[len(target)-1] <= ' '
}

// asBrowser returns what browsers request for a target, by the URL Standard of WHATWG.
func asBrowser(target string) string {
	for target != "" && target[len(target)-1] <= ' ' {
		target = target[:len(target)-1]
	}
	requested, inPath := make([]byte, 0, len(target)+len("%00")), true
	for i := range len(target) {
		switch c := target[i]; {
		case c == '\t' || c == '\n' || c == '\r':
		case c == 0:
			requested = append(requested, "%00"...)
		case c == '\\' && inPath:
			requested = append(requested, '/')
		default:
			inPath = inPath && c != '?' && c != '#'
			requested = append(requested, c)
		}
	}
	return string(requested)
}
