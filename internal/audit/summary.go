package audit

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/heed-robots/heed/internal/printable"
)

type summary struct {
	coverage  *Coverage
	first     int64
	end       int64
	others    map[string]int64
	hosts     nameSet
	addresses nameSet

	isCompressed bool // the report says once that a log has compressed data
}

const maxTold = 5

func (s *summary) add(b *batch) {
	c := s.coverage
	if b.Lines > 0 {
		if c.Lines == 0 {
			s.first, s.end = b.first, b.end
		}
		s.first, s.end = min(s.first, b.first), max(s.end, b.end)
	}
	c.Lines += b.Lines
	c.Unreadable += b.Unreadable
	for _, u := range b.Samples {
		if len(c.Samples) < maxSamples {
			c.Samples = append(c.Samples, u)
		}
	}
	c.NotHTTP += b.NotHTTP
	c.OtherHosts += b.OtherHosts
	c.NoRobots += b.NoRobots
	c.masked += b.masked
	c.Retrievals += b.Retrievals
	c.Forwarded += b.Forwarded
	c.hasAgents = c.hasAgents || b.hasAgents
	if b.isCompressed && !s.isCompressed {
		s.isCompressed = true
		c.Broken = append(c.Broken, "there is compressed data among the lines: decompress all, such as with zcat -f, or give the files as arguments")
	}
	c.noHost = c.noHost || b.noHost
	c.noScheme = c.noScheme || b.noScheme
	for name, n := range b.others {
		if _, ok := s.others[name]; ok || len(s.others) < maxNames {
			s.others[name] += n
		}
	}
	for host := range b.hosts {
		s.hosts.add(host, maxHosts)
	}
	for address := range b.addresses {
		s.addresses.add(address, maxAddresses)
	}
}

func (s *summary) close(j *auditor, o *order) *Coverage {
	c := s.coverage
	if c.Lines > 0 {
		c.From, c.To = new(utc(s.first)), new(utc(s.end))
	}
	c.OutOfOrder, c.Gaps, c.GapCount = o.late, j.coverage.gaps, j.coverage.gapCount
	c.Hosts = slices.Sorted(maps.Keys(s.hosts))
	const fewAddresses, manyLines = 16, 1000
	c.fewAddresses = len(s.addresses) <= fewAddresses && c.Lines >= manyLines
	for name, n := range s.others {
		c.Others = append(c.Others, Other{name, n})
	}
	slices.SortFunc(c.Others, func(a, b Other) int { return cmp.Or(cmp.Compare(b.Requests, a.Requests), cmp.Compare(a.Name, b.Name)) })
	c.Others = c.Others[:min(len(c.Others), maxTold)]
	c.Versions, c.Undated = j.sites.count()
	c.Lists = j.crowd.usedLists()
	if !j.Since.IsZero() {
		c.Since = &j.Since
	}
	if !j.Until.IsZero() {
		c.Until = &j.Until
	}
	if only := j.sites.single; only != nil {
		const most = 20
		for _, v := range only.versions[:min(len(only.versions), most)] {
			c.Robots = append(c.Robots, v.shown())
		}
	}
	c.Notes = c.notes(j, o)
	return c
}

// notes returns sentences about what the logs cannot show (AU-1, AU-9, AU-10, AU-11).
func (c *Coverage) notes(j *auditor, o *order) []string {
	notes := []string{}
	note := func(is bool, format string, values ...any) {
		if is {
			notes = append(notes, fmt.Sprintf(format, values...))
		}
	}
	const accuses = "was changed since the log began, the report accuses wrongly: give"
	note(j.sites.single != nil && c.Undated > 0, "One robots.txt was used for all times. If it %s its history with --robots, such as --robots git:PATH.", accuses)
	note(j.sites.single == nil && c.Undated > 0, "For %s, one robots.txt was used for all times. If it %s captures with their times, such as an archive of heed compile.",
		printable.Counted(c.Undated, "site"), accuses)
	note(j.sites.single != nil && len(j.sites.single.versions) > 0 && c.To != nil && j.sites.single.versions[len(j.sites.single.versions)-1].Since.After(*c.To),
		"The newest version of the robots.txt is later than the end of the log, so it was not used.")
	note(!c.hasAgents, "The log has no User-Agents, so no crawler can be found in it; write the format Combined.")
	for _, text := range c.Broken {
		note(true, "A log could not be read to its end, so what follows is not known (%s).", text)
	}
	note(c.Retrievals == 0, "Nobody requested /robots.txt in this log: perhaps the server does not log these requests, and then nothing can be said about what crawlers knew.")
	note(c.IsSample, "The log is a sample, as you said, so this report never says that a crawler fetched no robots.txt.")
	note(!c.IsSample && c.From != nil && c.To.Sub(*c.From) < 24*time.Hour, "The log covers less than 24 hours, so this report never says that a crawler fetched no robots.txt.")
	if len(c.Gaps) > 0 {
		note(true, "The log has %s: a gap has no lines, so what crawlers had fetched is not known then, and in the 24 hours after.", c.gapsInWords())
	}
	note(o.late > 0, "%s came up to %s after later ones, and prove nothing. If several logs were joined, give them as several arguments.",
		printable.Counted(int(o.late), "request"), time.Duration(o.latest).Round(time.Minute))
	note(c.OtherHosts > 0, "%s to hosts other than %s %s left out, because of --origin.",
		printable.Counted(int(c.OtherHosts), "request"), j.Origin.Host(), map[bool]string{true: "was", false: "were"}[c.OtherHosts == 1])
	note(c.noHost && !j.Origin.IsZero(), "Lines have no host, so all requests count as requests to %s.", j.Origin)
	note(c.noHost && j.sites.single == nil && j.Origin.IsZero(), "Lines have no host, so it is not known of which site they are: name it with --origin.")
	note(c.noScheme && j.sites.single == nil && j.Origin.IsZero(), "Lines have no scheme, so https is assumed.")
	note(j.sites.single != nil && j.Origin.IsZero() && len(c.Hosts) > 1, "The robots.txt was used for all hosts of the log (%s); if it is only of one, name that with --origin.", printable.Some(c.Hosts, ", "))
	note(c.NoRobots > 0, "For %s of crawlers, no robots.txt in force is known.", printable.Counted(int(c.NoRobots), "request"))
	note(c.Forwarded > 0 && len(j.Proxies) == 0, "%s X-Forwarded-For: the site may be behind a proxy, whose addresses and whose own robots.txt or cache the log would not show. --trusted-proxy makes heed believe it.",
		printable.Counted(int(c.Forwarded), "line")+map[bool]string{true: " has", false: " have"}[c.Forwarded == 1])
	note(c.Forwarded > 0 && len(j.Proxies) > 0, "Requests came through proxies: if one of them caches /robots.txt, the log does not show what crawlers fetched from it, and --sample should say so.")
	note(c.Forwarded == 0 && c.fewAddresses, "All lines are from few addresses: the site may be behind a proxy or a CDN, which may answer with another robots.txt, and whose addresses are not those of crawlers.")
	note(j.Resolver != nil && j.names.failureCount() > 0, "Addresses without a name, or whose name could not be looked up: %d of %d. Requests from them are not checkable.", j.names.failureCount(), len(j.names.known))
	note(c.masked > 0, "%s from addresses that end with .0 (or ::). A server that hides a part of each address writes such addresses. The lists have only some addresses of their networks, so these requests are not checkable.",
		printable.Counted(int(c.masked), "request"))
	note(len(j.later) > 0, "These lists of addresses are later than requests, and cannot show who sent those: %s. If you know that a list was valid earlier, write the earlier day into the name of its file, as in GPTBot@2026-01-31.json.",
		printable.Some(slices.Sorted(maps.Keys(j.later)), ", "))
	note(j.Ranges == nil && j.Resolver == nil, "No lists of addresses were given (--ranges), so nothing can be proved: anybody can send the name of a crawler.")
	return notes
}

func (c *Coverage) gapsInWords() string {
	text := printable.Counted(c.GapCount, "gap")
	if c.GapCount > 1 {
		text += ", the first"
	}
	const minutes = "2006-01-02 15:04"
	return fmt.Sprintf("%s from %s to %s UTC", text, c.Gaps[0].From.Format(minutes), c.Gaps[0].To.Format(minutes))
}

// count returns the number of versions, and of sites that have one version for all times.
func (s *sites) count() (versions, undated int) {
	isCounted := map[*site]bool{nil: true} // http and https may have the same site
	for _, found := range append(slices.Collect(maps.Values(s.known)), s.single) {
		if isCounted[found] {
			continue
		}
		isCounted[found] = true
		versions += len(found.versions)
		if len(found.versions) == 1 && found.versions[0].Since.IsZero() {
			undated++
		}
	}
	return versions, undated
}

func (c *crowd) usedLists() (all []ListUsed) {
	seen := map[string]bool{}
	for _, w := range c.all {
		for _, l := range w.lists {
			if !seen[l.Name] {
				seen[l.Name] = true
				all = append(all, ListUsed{l.Name, dateOf(l.Dated), l.Prefixes, l.Ignored})
			}
		}
	}
	slices.SortFunc(all, func(a, b ListUsed) int { return cmp.Compare(a.File, b.File) })
	return all
}
