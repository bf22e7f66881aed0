package usage

import "github.com/heed-robots/heed/internal/markup"

// readHTML also reads meta elements outside the head, because many pages have a broken head (AI-13, AI-14).
func (r *Response) readHTML(page []byte) {
	markup.Metas(page, func(name, content string) {
		switch name {
		case tdmReservation, tdmPolicy:
			r.tdm = append(r.tdm, tdmFieldOf(Statement{Carrier: TDMRep, Meta: shortened(name), Text: shortened(content)}, name, content))
		default: // also "description" and so on, in which readDirectives finds nothing
			r.readDirectives(Statement{Carrier: MetaRobots, Meta: shortened(name), Text: shortened(content)}, content, readName(name))
		}
	})
}
