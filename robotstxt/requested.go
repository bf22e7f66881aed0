package robotstxt

// CheckRequest decides about a request for a target. The target must be allowed as written, and as browsers request
// it.
//
// Browsers remove tabs and line ends, read a backslash in a path as "/", and escape a NUL. For such a target only,
// CheckRequest allocates memory. It does not resolve "." and "..".
func (p *Policy) CheckRequest(target string) (d Decision) {
	if p.decide(&d, target, nil) || !d.Allowed || !isReadInTwoWays(target) {
		return d
	}
	if b := p.Check(asBrowser(target)); !b.Allowed {
		return b
	}
	return d
}

// Requested returns the URL that decides in CheckRequest, for example for Explain. Usually this is the target. If the
// target is allowed, but the URL that browsers request instead is disallowed, Requested returns the URL of the browsers.
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
