package usage

import "github.com/heed-robots/heed/internal/markup"

// readHTML reads the meta elements of a page (AI-13, AI-14), wherever they are: a page whose head is broken means them too.
func (r *Response) readHTML(page []byte) {
	markup.Metas(page, func(name, content string) {
		switch name {
		case tdmReservation, tdmPolicy:
			r.tdm = append(r.tdm, tdmFieldOf(Statement{Carrier: TDMRep, Meta: shortened(name), Text: shortened(content)}, name, content))
		default: // also "description", which has the form of directives for a crawler with that name
			r.readDirectives(Statement{Carrier: MetaRobots, Meta: shortened(name), Text: shortened(content)}, content, readName(name))
		}
	})
}
