package verdicts

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/heed-robots/heed/internal/bulk/archive"
	"github.com/heed-robots/heed/internal/bulk/source"
	"github.com/heed-robots/heed/internal/testing/portion"
)

// TestWorlds: heed filter with the sources as they are and in another order, heed filter with an archive of them, and Beam say the
// same. Many captures have the same time; sources are of several kinds, and may be empty or damaged.
func TestWorlds(t *testing.T) {
	asked := map[string]int{}
	for seed := range uint64(300) {
		if portion.Of(100) {
			t.Run(fmt.Sprint(seed), func(t *testing.T) { askWorld(t, newWorld(t, 1000+seed), asked) })
		}
	}
	t.Log(asked)
}

func askWorld(t *testing.T, w *world, asked map[string]int) {
	w.hosts = 20
	answers := w.answers(60)
	o := Options{Crawlers: ccbot, Dialects: []string{pick(w, []string{"rfc9309", "google", "draft1996"})}, Times: []string{pick(w, []string{"now", "2024-05-01"})},
		Sources: []string{w.files(t)}, To: filepath.Join(w.folder, "v"), Shards: 1}
	for range 1 + w.IntN(3) {
		o.Sources = append(o.Sources, w.anySource(t, answers))
	}
	w.Shuffle(len(o.Sources), func(i, j int) { o.Sources[i], o.Sources[j] = o.Sources[j], o.Sources[i] })
	o.Lists = []string{w.compressed(t, w.lines(400), w.IntN(10) == 0)}
	flags := []string{"-a", "CCBot", "--dialect", o.Dialects[0], "--as-of", o.Times[0]}

	// What is no source ends heed filter and heed compile before the start. Beam rejects it (README.md).
	usable := slices.DeleteFunc(slices.Clone(o.Sources), func(name string) bool { _, err := source.KindOf(name); return err != nil })
	if len(usable) < len(o.Sources) {
		asked["with a file that is no source"]++
		if rows, status, _ := filtered(t, &o, o.Sources, flags...); status != 2 || len(rows) > 0 {
			t.Errorf("heed filter with what is no source: status %d, %d rows", status, len(rows))
		}
	}
	// filter is like filtered, but a source of which nothing can be used is no failure, as in Beam (README.md).
	filter := func(sources []string) (rows []string, status int, notices string) {
		rows, status, notices = filtered(t, &o, sources, flags...)
		if strings.Contains(notices, "heed filter: nothing of ") && !strings.Contains(notices, "could not read one of the inputs") {
			asked["with a useless source"]++
			status = 0
		}
		return rows, status, notices
	}
	rows, status, notices := filter(usable)
	asked[fmt.Sprintf("status %d", status)]++
	asked["rows"] += len(rows)

	compare := func(name string, got []string, failed bool) {
		t.Helper()
		if failed != (status != 0) || !slices.Equal(got, rows) {
			t.Errorf("%s: failed: %v, %d rows; heed filter: %d, %d rows; the first that differs: %s\n%q\n%s", name, failed, len(got), status, len(rows), firstDifference(got, rows), o.Sources, notices)
		}
	}
	slices.Reverse(usable)
	reversed, again, _ := filter(usable)
	compare("sources in another order", reversed, again != 0)

	// What an archive has lost is unknown for heed filter only (docs/filter.md); it ends Beam (README.md).
	hasDamaged := slices.ContainsFunc(usable, isDamagedArchive)
	all := filepath.Join(w.folder, "all.heed")
	switch _, made, said := runHeed(t, append([]string{"compile", "-o", all}, usable...)...); {
	case made != 0 && !strings.Contains(said, "heed compile: nothing of "): // a useless source has status 2, but the archive is made
		asked["no archive"]++
		if len(rows) > 0 {
			t.Errorf("heed compile: %d: %s; heed filter: %s", made, said, notices)
		}
	case hasDamaged:
		asked["with a damaged archive"]++
	default:
		for name, sources := range map[string][]string{"the archive": {all}, "the archive and a source": {all, usable[0]}, "a source and the archive": {usable[0], all}} {
			got, again, _ := filter(sources)
			compare(name, got, again != 0)
		}
	}

	p, s := beam.NewPipelineWithRoot()
	err := Build(context.Background(), s, o)
	if err == nil {
		_, err = beam.Run(context.Background(), "prism", p)
	}
	var got []string
	if err == nil {
		got = rowsOf(t, o)
		if summaryOf(t, o).BrokenLists > 0 {
			err = errBroken
		}
	}
	if !hasDamaged {
		compare("Beam", got, err != nil)
	} else if err == nil || got != nil {
		t.Error("Beam used a damaged archive")
	}
}

var errBroken = errors.New("a list is damaged")

func isDamagedArchive(name string) bool {
	a, err := archive.Open(name)
	if err != nil {
		return errors.Is(err, archive.ErrDamaged)
	}
	defer a.Close()
	lost, _ := a.Verify()
	return lost > 0
}
