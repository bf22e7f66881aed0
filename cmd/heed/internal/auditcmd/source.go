package auditcmd

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"time"

	"github.com/heed-robots/heed/cmd/heed/internal/captures"
	"github.com/heed-robots/heed/cmd/heed/internal/sites"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/audit"
	"github.com/heed-robots/heed/internal/bulk/capture"
	bulksource "github.com/heed-robots/heed/internal/bulk/source"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/internal/saved"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

func (o *command) openRobots(ctx context.Context) (closeAll func(), err error) {
	closeAll = func() {}
	if len(o.robots) == 1 {
		all, err := o.oneSite(o.robots[0])
		if err != nil {
			return closeAll, err
		}
		if all != nil {
			o.IsOneSite = true
			o.Versions = func(origin.Origin) ([]audit.Version, error) { return o.versionsAsOf(all), nil }
			return closeAll, nil
		}
	}
	for _, name := range o.robots {
		if sites.IsGit(name) {
			return closeAll, fmt.Errorf("--robots %s is a Git history, which cannot be used together with another source: give only one --robots", name)
		}
	}
	sources := &captures.Sources{}
	o.loading.OpenStore = sites.OpenStoreSource(o.term)
	if err := sources.Add(ctx, o.term, &o.loading, saved.Columns{}, o.robots); err != nil {
		sources.Close()
		return closeAll, err
	}
	o.loading.Summarize(o.term)
	o.Versions = func(of origin.Origin) ([]audit.Version, error) {
		all, err := versionsOf(sources.Archives, of)
		return o.versionsAsOf(all), err
	}
	return sources.Close, nil
}

// oneSite returns nil for a source about several sites.
func (o *command) oneSite(name string) ([]audit.Version, error) {
	if sites.IsGit(name) {
		return o.gitVersions(name)
	}
	kind, err := bulksource.KindOf(name)
	switch {
	case err == nil && kind == bulksource.Folder:
		return o.datedFiles(name)
	case err == nil:
		return nil, nil
	}
	if name != "-" {
		if _, err := os.Stat(name); err != nil {
			return nil, fmt.Errorf("--robots: %w", err)
		}
	}
	body, err := sites.ReadRobots(o.term, name, robotstxt.RFC9309)
	if err != nil {
		return nil, err
	}
	return []audit.Version{{Text: string(body), Source: name}}, nil
}

func (o *command) gitVersions(name string) ([]audit.Version, error) {
	revisions, isShallow, err := sites.GitHistory(o.term, name)
	if err != nil {
		return nil, err
	}
	if isShallow {
		o.term.Notice(fmt.Sprintf("note: %s is in a shallow clone of Git, so heed does not know its earlier versions; the command git fetch --unshallow fetches them", name))
	}
	var all []audit.Version
	for _, r := range revisions {
		v := audit.Version{Since: r.At, Missing: r.IsMissing, Source: fmt.Sprintf("commit %.12s", r.Commit)}
		if !r.IsMissing {
			body, err := sites.Decode(o.term, r.Body, name)
			if err != nil {
				return nil, fmt.Errorf("%s, %s: %w", name, v.Source, err)
			}
			v.Text = string(body)
		}
		all = append(all, v)
	}
	return all, nil
}

// A file name has a day and perhaps a time, for example 20240501.txt or 2024-05-01T120000Z.txt.
var datedName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:.*[^0-9])?(\d{4})-?(\d\d)-?(\d\d)(?:[T_]?(\d\d):?(\d\d):?(\d\d)Z?)?(?:\.txt)?$`)
})

// If any file name has no date, the folder is something else, and datedFiles returns nil.
func (o *command) datedFiles(folder string) ([]audit.Version, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var all []audit.Version
	for _, e := range entries {
		m := datedName().FindStringSubmatch(e.Name())
		if e.IsDir() || m == nil {
			return nil, nil
		}
		if m[4] == "" {
			m[4], m[5], m[6] = "00", "00", "00"
		}
		since, err := time.Parse("20060102150405", m[1]+m[2]+m[3]+m[4]+m[5]+m[6])
		if err != nil {
			return nil, nil
		}
		name := filepath.Join(folder, e.Name())
		body, err := sites.ReadRobots(o.term, name, robotstxt.RFC9309)
		if err != nil {
			return nil, err
		}
		all = append(all, audit.Version{Since: since, Text: string(body), Source: e.Name()})
	}
	slices.SortStableFunc(all, func(a, b audit.Version) int { return a.Since.Compare(b.Since) })
	return all, nil
}

// Failed retrievals are left out, because they show no rules.
func versionsOf(archives capture.Archives, of origin.Origin) (all []audit.Version, err error) {
	statuses := fetch.StatusesOf(robotstxt.RFC9309)
	answers, err := archives.Versions(of, statuses)
	if err != nil {
		return nil, err
	}
	for i := range answers {
		a := &answers[i]
		outcome, ok := a.Outcome(of, statuses)
		if !ok || outcome != fetch.Rules && outcome != fetch.Unavailable {
			continue
		}
		v := audit.Version{Since: a.At, Missing: outcome == fetch.Unavailable, Source: "capture"}
		if !v.Missing {
			if v.Text, err = a.In.Body(a.Body); err != nil {
				return nil, fmt.Errorf("the robots.txt of %s cannot be read from --robots: %w", printable.Text(of.String()), err)
			}
		}
		all = append(all, v)
	}
	return all, nil
}

func (o *command) versionsAsOf(all []audit.Version) []audit.Version {
	if o.asOf.IsZero() {
		return all
	}
	var found []audit.Version
	for _, v := range all {
		if !v.Since.After(o.asOf) {
			v.Since = time.Time{}
			found = []audit.Version{v}
		}
	}
	return found
}
