package policyfile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/heed-robots/heed/crawlers"
	"github.com/heed-robots/heed/internal/markup"
	"github.com/heed-robots/heed/internal/printable"
)

func (d *converter) addFinding(format string, args ...any) {
	d.findings = append(d.findings, fmt.Sprintf(format, args...))
}

// addNames adds nothing if there are no names.
func (d *converter) addNames(format string, names []string) {
	if len(names) > 0 {
		d.addFinding(format, printable.Some(names, ", "))
	}
}

func (d *converter) findOddities() {
	if markup.IsHTML(markup.Begin(d.file.Body())) {
		d.addFinding("the file is an HTML page, and no robots.txt: check what the site sends")
	}
	for line := range d.file.Sitemaps() {
		if !isWritable(line.Value) {
			d.addFinding("line %d: left out, because it is no URL that a policy can have: %s", line.Number, printable.Text(line.Value))
		}
	}
	if len(d.googleProof.Differences) > 0 {
		d.addFinding("Google's parser reads the file in another way than RFC 9309, which the policy follows: %s", d.googleProof.Differences[0].InWords())
	}
	d.findEnded()
	d.findRepeated()
	d.findDrifted()
	d.findLost()
	d.findPurposes()
}

func (d *converter) findEnded() {
	var names []string
	for _, p := range d.agents {
		c, _ := d.table.Lookup(p.name)
		if c.Active == crawlers.No && !d.isFollowed(c.Token) {
			names = append(names, p.name)
		}
	}
	d.addNames("these crawlers make no requests any more: %s", names)
}

func (d *converter) isFollowed(token string) bool {
	for c := range d.table.All() {
		if c.Token != token && slices.Contains(c.Chain, token) {
			return true
		}
	}
	return false
}

func (d *converter) findRepeated() {
	var names []string
	for _, p := range d.agents {
		if !p.block.isNeeded && len(p.rules) > 0 {
			names = append(names, p.name)
		}
	}
	d.addNames("their rules would apply to them anyway, so the policy does not name them: %s", names)
}

func (d *converter) agentsByBlock() (all [][]*namedAgent) {
	place := map[*convertedBlock]int{}
	for _, p := range d.agents {
		at, again := place[p.block]
		if !again {
			at = len(all)
			place[p.block] = at
			all = append(all, nil)
		}
		all[at] = append(all[at], p)
	}
	return all
}

func namesOf(agents []*namedAgent) (names []string) {
	for _, p := range agents {
		names = append(names, p.name)
	}
	return names
}

func (d *converter) findDrifted() {
	for _, agents := range d.agentsByBlock() {
		p := agents[0]
		if !p.block.isAlone || p.isClosed() {
			continue
		}
		has := keysOf(p.rules)
		var missing []string
		for _, r := range p.outer.rules {
			if !has[r.key] {
				missing = append(missing, printable.Text(r.Text()))
			}
		}
		if shared := len(p.outer.rules) - len(missing); len(missing) > 0 && shared >= 2 {
			repeats, lacks := "repeats", "lacks"
			if len(agents) > 1 {
				repeats, lacks = "repeat", "lack"
			}
			d.addFinding("line %d: %s %s %d of the %d rules for %s, and %s %s", p.line, printable.Some(namesOf(agents), ", "), repeats, shared, len(p.outer.rules), p.outer.name, lacks, printable.Some(missing, ", "))
		}
	}
}

func keysOf(rules []rule) map[string]bool {
	keys := map[string]bool{}
	for _, r := range rules {
		keys[r.key] = true
	}
	return keys
}

func (d *converter) findLost() {
	var names []string
	forEveryone := keysOf(d.everyone.rules)
	for _, agents := range d.agentsByBlock() {
		p := agents[0]
		if p.block.isAlone && len(forEveryone) > 0 && !p.saysForSite(d) && !slices.ContainsFunc(p.rules, func(r rule) bool { return forEveryone[r.key] }) {
			names = append(names, namesOf(agents)...)
		}
	}
	d.addNames(`none of the rules for everyone applies to these, because they have a group of their own: %s. If that is not intended, remove "only"`, names)
}

func (p *namedAgent) saysForSite(d *converter) bool {
	for _, g := range p.groups {
		for _, r := range d.groups[g].Rules {
			if strings.Trim(r.Pattern, "/*$") == "" {
				return true
			}
		}
	}
	return false
}

func (d *converter) findPurposes() {
	if d.everyone.isClosed() {
		return
	}
	for _, purpose := range crawlers.Purposes() {
		closed, others := 0, 0
		known := map[string]bool{}
		for c := range d.table.For(purpose) {
			token := tokenOf(c.Token)
			if token == "" || known[token] {
				continue
			}
			known[token] = true
			switch p := d.byToken[token]; {
			case p != nil && p.isClosed():
				closed++
			case p != nil:
				others++
			}
		}
		if closed >= 2 && others == 0 && closed < len(known) {
			d.addFinding(`heed knows %s for %s, and %d of these are disallowed by name: "%[2]s: disallow" would disallow all, and also those that later versions of heed know`, printable.Counted(len(known), "product token"), purpose, closed)
		}
	}
}
