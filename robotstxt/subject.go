package robotstxt

// A subject is the path of a URL in normal form, and what is known of it. Do not keep the
// path: it may be in a buffer that is used again.
type subject struct {
	path    string
	octets  uint64 // that the path contains, see byteBits
	plain   int    // how many bytes of the path, from its start on, have no special meaning in a pattern
	slashes bool   // the path contains an encodedSlash
	work    int    // of matching the path so far, in about nanoseconds
}

// subject returns what is known of a path, given the bits of its bytes.
func (d *Dialect) subject(path string, octets uint64) subject {
	s := subject{path: path, octets: octets, plain: len(path)}
	if octets&star != 0 {
		s.plain = 0
		for special := specialBytes[d.form]; special[path[s.plain]] == 0; s.plain++ {
		}
	}
	return s
}

// lacks reports whether the path has not all bytes that a pattern needs.
func (s *subject) lacks(octets uint64) bool { return octets&^s.octets != 0 }

var queryBit = uint64(1) << byteBits['?']

// The work of searching the path for a segment, in nanoseconds: segmentWork and one for
// each byte of the path that is searched. The search for a single byte is faster: it
// takes one for bytesAtOnce bytes.
const (
	segmentWork = 3
	bytesAtOnce = 16
)
