package robotstxt

// A subject is the path of a URL in normal form, with facts about the path. Do not keep the
// path: it may be in a buffer that is used again.
type subject struct {
	path    string
	bytes   uint64 // the bits of the bytes in the path, see byteBits
	plain   int    // how many bytes at the start of the path have no special meaning in a pattern
	slashes bool   // the path contains an encodedSlash
	work    int    // what matching the path has cost so far, approximately in nanoseconds
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

// lacks reports whether the path does not contain all bytes that a pattern needs. bytes has the bits of these bytes.
func (s *subject) lacks(bytes uint64) bool { return bytes&^s.bytes != 0 }

var queryBit = uint64(1) << byteBits['?']

// The work of searching a path for a segment, in nanoseconds: segmentWork, and one for each byte of the path that is
// searched. A segment of one byte is found faster: then bytesAtOnce bytes take one nanosecond.
const (
	segmentWork = 3
	bytesAtOnce = 16
)
