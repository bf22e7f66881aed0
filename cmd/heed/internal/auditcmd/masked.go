package auditcmd

import (
	"net/netip"
	"regexp"
	"strings"
	"sync"

	"github.com/heed-robots/heed/internal/audit"
)

// IP addresses are personal data, so reports hide their last parts (AU-13).
func (o *command) maskAddresses(r *audit.Report) {
	if o.addresses {
		return
	}
	for _, row := range r.Crawlers {
		for _, f := range row.Telling {
			f.Address, f.By = maskedAddress(f.Address), maskedBy(f.By)
		}
	}
	for i := range r.Coverage.Samples {
		r.Coverage.Samples[i].Text = maskedLine(r.Coverage.Samples[i].Text)
	}
}

func maskedAddress(address string) string {
	a, err := netip.ParseAddr(address)
	switch {
	case err != nil:
		return "(not an address)"
	case a.Unmap().Is4():
		text := a.Unmap().String()
		return text[:strings.LastIndexByte(text, '.')] + ".x"
	}
	p, _ := a.WithZone("").Prefix(48)
	return strings.TrimSuffix(p.Addr().String(), "::") + ":x"
}

// maybeAddress also matches other texts, such as times.
var maybeAddress = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[0-9A-Fa-f:.]{3,}`) })

// heed could not read the line, so an IP address can be anywhere in it.
func maskedLine(line string) string {
	return maybeAddress().ReplaceAllStringFunc(line, func(s string) string {
		rest := len(strings.TrimRight(s, ".:"))
		if _, err := netip.ParseAddr(s[:rest]); err == nil {
			return maskedAddress(s[:rest]) + s[rest:]
		}
		if i := strings.IndexByte(s, ':'); i > 0 { // after the address comes a port
			if _, err := netip.ParseAddr(s[:i]); err == nil {
				return maskedAddress(s[:i]) + s[i:]
			}
		}
		return s
	})
}

// The first labels of a host name may contain the IP address, as in crawl-192-0-2-7.example.com. Only the last two
// are shown.
func maskedBy(by *audit.Identified) *audit.Identified {
	if by == nil || by.Name == "" {
		return by
	}
	hidden := *by
	if labels := strings.Split(by.Name, "."); len(labels) > 2 {
		hidden.Name = "x." + strings.Join(labels[len(labels)-2:], ".")
	}
	return &hidden
}
