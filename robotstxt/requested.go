package robotstxt

// CheckRequest decides about a request for a target. A target has two readings: the text as it is written, and the URL
// that browsers request for this text. CheckRequest allows a target only if both readings are allowed; Check decides about
// the text as it is written. Browsers remove tabs and line ends from a URL, and white space at its end. Before the query or
// the fragment, browsers read a backslash as "/". They also escape a NUL, although a NUL ends the URL for Google's parser.
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

// Requested returns the reading of a target that CheckRequest uses for its decision. A program can call Explain with this
// reading. The result is usually the target itself. If the target as written is allowed, but the URL that browsers request is
// disallowed, the result is the URL that browsers request.
func (p *Policy) Requested(target string) string {
	if p.CheckRequest(target).Allowed || !p.Check(target).Allowed {
		return target
	}
	return asBrowser(target)
}

func isReadInTwoWays(target string) bool {
	i := 0
	for ; i+8 <= len(target); i += 8 {
		if w := eight(target, i); below(w, '\r'+1)|below(w^lowBits*'\\', 1) != 0 { // these eight bytes may contain a byte that browsers change
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

// asBrowser returns what browsers request for a target, according to the URL Standard of WHATWG.
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
