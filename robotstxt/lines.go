package robotstxt

// A lineReader reads a body line by line, and knows which group is open.
type lineReader struct {
	dialect *Dialect
	split   splitter
	limit   int

	span          span
	number        int
	content       content
	startsGroup   bool
	groups        int // only currentLine counts groups
	inGroup       bool
	openForAgents bool // a User-agent line would belong to the open group
}

func newLineReader(body string, d *Dialect) *lineReader {
	w := &lineReader{dialect: d, split: splitter{body: body, final: d.finalEmptyLine}, limit: maxLimit}
	if d.limit > 0 {
		w.limit = min(d.limit, maxLimit)
	}
	return w
}

func (w *lineReader) next() bool {
	var ok bool
	if w.span, ok = w.split.next(); !ok {
		return false
	}
	w.number++
	// A line that the limit cuts is ignored too, because a cut pattern would be another rule.
	if w.span.end > w.limit || w.span.start >= w.limit {
		w.content = content{kind: KindInvalid, notes: NotePastLimit}
		return true
	}
	w.dialect.read(w.split.body, w.span.text, w.span.end, &w.content)
	w.follow(w.content.kind)
	return true
}

func (w *lineReader) follow(kind Kind) {
	switch kind {
	case KindUserAgent:
		w.startsGroup = !w.openForAgents
		w.inGroup, w.openForAgents = true, true
	case KindAllow, KindDisallow:
		w.openForAgents = false
	case KindBlank:
		if w.dialect.blankEndsGroup {
			w.inGroup, w.openForAgents = false, false
		}
	}
}

func (w *lineReader) index(x *indexWriter) {
	body, d := w.split.body, w.dialect
	for {
		key := w.split.pos
		kind, value, end := d.plainLine(body, key)
		if kind != KindInvalid && end < w.limit && (d.lineLimit == 0 || end-key <= d.lineLimit) {
			w.split.pos = afterLineEnd(body, end)
			w.number++
			w.follow(kind)
		} else if w.next() {
			c := &w.content
			kind, key, value, end = c.kind, c.keyStart, c.valueStart, c.valueEnd
		} else {
			return
		}
		if KindComment < kind && kind < KindInvalid { // other lines, such as comments, have no entry
			w.entry(x, kind, key, value, end)
		}
	}
}

func (w *lineReader) entry(x *indexWriter, kind Kind, key, value, end int) {
	switch kind {
	case KindUserAgent:
		x.addAgent(w.startsGroup, w.number, value, end)
	case KindAllow:
		if w.inGroup {
			x.add(allowEntry, w.number, value, end)
		}
	case KindDisallow:
		if w.inGroup {
			x.add(disallowEntry, w.number, value, end)
		}
	case KindSitemap, KindOther:
		kind := recordEntry
		if w.inGroup {
			kind = boundEntry
		}
		x.add(kind, w.number, key, end)
	}
}

// currentLine counts the groups, so call it for every line or for none.
func (w *lineReader) currentLine() Line {
	body, c := w.split.body, &w.content
	line := Line{
		Number: w.number,
		Offset: w.span.start,
		Raw:    body[w.span.start:w.span.next],
		Kind:   c.kind,
		Key:    body[c.keyStart:c.keyEnd],
		Value:  body[c.valueStart:c.valueEnd],
		Notes:  c.notes,
	}
	if line.Kind == KindUserAgent && w.startsGroup {
		w.groups++
	}
	if w.inGroup && !line.Notes.Has(NotePastLimit) {
		line.Group = w.groups
	}
	if w.span.text > w.span.start {
		line.Notes |= NoteBOM
	}
	line.Notes = w.dialect.annotate(line, w.inGroup)
	return line
}

type span struct {
	start int
	text  int // after a byte-order mark
	end   int
	next  int
}

// In a splitter, CR, LF and CRLF end a line (S94-2, G-9, L-1).
type splitter struct {
	body  string
	final bool // yield an empty line after the last line end
	pos   int
	done  bool
}

func (s *splitter) next() (span, bool) {
	if s.done || s.pos == len(s.body) && !s.final {
		return span{}, false
	}
	line := span{start: s.pos, text: s.pos}
	if s.pos == 0 {
		line.text = bomLength(s.body)
	}
	line.end = findLineEnd(s.body, line.text)
	line.next = afterLineEnd(s.body, line.end)
	s.done = line.end == len(s.body)
	s.pos = line.next
	return line, true
}

func findLineEnd(body string, pos int) int {
	for ; pos+8 <= len(body); pos += 8 {
		for found := markBelow(eightAt(body, pos), '\r'+1); found != 0; found &= found - 1 {
			if i := pos + firstMark(found); isLineEnd(body[i]) {
				return i
			}
		}
	}
	for pos < len(body) && !isLineEnd(body[pos]) {
		pos++
	}
	return pos
}

func isLineEnd(c byte) bool { return c == '\n' || c == '\r' }

func afterLineEnd(body string, end int) int {
	if end+1 < len(body) && body[end] == '\r' && body[end+1] == '\n' {
		return end + 2
	}
	return min(end+1, len(body))
}
