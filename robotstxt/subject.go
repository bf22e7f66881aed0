package robotstxt

// A subject is the path of a URL in normal form, with facts about the path. The path must not be kept after the decision: its
// memory may be a buffer that is used again.
type subject struct {
	path    string
	bytes   uint64 // one bit for each byte in the path, see byteBits
	plain   int    // how many bytes at the start of the path come before the first byte with a special meaning in patterns
	slashes bool   // the path contains "%2F", an encoded slash
	work    int    // what matching this path has cost so far, in nanoseconds (approximately)
}

// subject returns the subject of a path. bytes has the bits of all bytes of the path, see byteBits.
func (d *Dialect) subject(path string, bytes uint64) subject {
	s := subject{path: path, bytes: bytes, plain: len(path)}
	if bytes&star != 0 {
		s.plain = 0
		for special := specialBytes[d.form]; special[path[s.plain]] == 0; s.plain++ {
		}
	}
	return s
}

// lacks reports whether the path has no match because a byte is missing. bytes has the bits of all bytes that the pattern
// needs, see byteBits.
func (s *subject) lacks(bytes uint64) bool { return bytes&^s.bytes != 0 }

var queryBit = uint64(1) << byteBits['?']

// The work of searching a path for a segment (a text between wildcards), in nanoseconds: segmentWork, and 1 for each byte
// that is searched. A segment of one byte is found faster: then a nanosecond is enough for bytesAtOnce bytes.
const (
	segmentWork = 3
	bytesAtOnce = 16
)
