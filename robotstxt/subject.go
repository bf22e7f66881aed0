package robotstxt

// A subject is the path of a URL in normal form. Do not keep the path: a later decision may overwrite it.
type subject struct {
	path    string
	bytes   uint64 // the set of the byte values in the path, see byteBits
	plain   int    // how many bytes at the start of the path come before the first byte with a special meaning in patterns
	slashes bool   // the path contains "%2F", an encoded slash
	work    int    // what matching this path has cost so far, in nanoseconds (approximately)
}

// subject returns the subject of a path. The parameter bytes is the set of the byte values in the path, see byteBits.
func (d *Dialect) subject(path string, bytes uint64) subject {
	s := subject{path: path, bytes: bytes, plain: len(path)}
	if bytes&star != 0 {
		s.plain = 0
		for special := specialBytes[d.form]; special[path[s.plain]] == 0; s.plain++ {
		}
	}
	return s
}

// lacksBytes reports whether a byte of a pattern is not in the path. The parameter bytes is the set of the bytes of the
// pattern, see byteBits.
func (s *subject) lacksBytes(bytes uint64) bool { return bytes&^s.bytes != 0 }

var queryBit = uint64(1) << byteBits['?']

// Searching a path of n bytes for a segment (a text after a "*") costs segmentWork+n nanoseconds. If the segment has only
// one byte, the search costs segmentWork+n/bytesAtOnce nanoseconds.
const (
	segmentWork = 3
	bytesAtOnce = 16
)
