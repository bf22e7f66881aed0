package usage

import "github.com/heed-robots/heed/internal/markup"

// readHTML reads the meta elements of a page (AI-13, AI-14), also outside its head: many pages have a broken head.
func (r *Response) readHTML(page []byte) {
	markup.Metas(page, func(name, content string) {
		switch name {
		case tdmReservation, tdmPolicy:
			r.tdm = append(r.tdm, tdmFieldOf(Statement{Carrier: TDMRep, Meta: shortened(name), Text: shortened(content)}, name, content))
		default: // any other element; readDirectives ignores most of these, such as "description"
			r.readDirectives(Statement{Carrier: MetaRobots, Meta: shortened(name), Text: shortened(content)}, content, readName(name))
		}
	})
}
