package live

import (
	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/report"
)

// A Sheet is what the robots.txt of a live site says to some crawlers.
type Sheet struct {
	Site *Site `json:"site"`
	report.Sheet
}

// SheetOf returns a sheet with what it rests on.
func SheetOf(s report.Sheet, a *cache.Answer) Sheet { return Sheet{Site: SiteOf(a), Sheet: s} }
