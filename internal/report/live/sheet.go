package live

import (
	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/internal/report"
)

// A Sheet is a report.Sheet about a live site.
type Sheet struct {
	Site *Site `json:"site"` // the retrieval that it comes from
	report.Sheet
}

// SheetOf returns a sheet with the retrieval that it comes from.
func SheetOf(s report.Sheet, a *cache.Answer) Sheet { return Sheet{Site: SiteOf(a), Sheet: s} }
