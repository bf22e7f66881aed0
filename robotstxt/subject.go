package robotstxt

// A subject is the path of a URL in normal form. Do not keep the path: a later decision may overwrite it.
type subject struct {
	path    string
	bytes   uint64 // the set of the bytes in path, see byteBits
	plain   int    // how many bytes come before the first byte with a special meaning in patterns
	slashes bool   // path contains "%2F"
	work    int    // nanoseconds of matching so far, estimated
}

func (d *Dialect) subject(path string, bytes uint64) subject {
	s := subject{path: path, bytes: bytes, plain: len(path)}
	if bytes&star != 0 {
		s.plain = 0
		for special := specialBytes[d.form]; special[path[s.plain]] == 0; s.plain++ {
		}
	}
	return s
}

func (s *subject) lacksBytes(bytes uint64) bool { return bytes&^s.bytes != 0 }

var queryBit = uint64(1) << byteBits['?']

// To search n bytes for a text after a "*" takes segmentWork+n nanoseconds. For a text of one byte, it takes only
// segmentWork+n/bytesAtOnce.
const (
	segmentWork = 3
	bytesAtOnce = 16
)
