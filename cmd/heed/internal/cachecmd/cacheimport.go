package cachecmd

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/cmd/heed/internal/captures"
	"github.com/heed-robots/heed/cmd/heed/internal/flags"
	"github.com/heed-robots/heed/cmd/heed/internal/sites"
	"github.com/heed-robots/heed/cmd/heed/internal/term"
	"github.com/heed-robots/heed/fetch"
	bulksource "github.com/heed-robots/heed/internal/bulk/source"
	"github.com/heed-robots/heed/internal/input"
	"github.com/heed-robots/heed/internal/ordered"
	"github.com/heed-robots/heed/internal/redirect"
	"github.com/heed-robots/heed/internal/saved"
	"github.com/heed-robots/heed/origin"
)

type cacheImport struct {
	term              *term.Terminal
	storeFlag, scheme string
	columns           saved.Columns

	store    cache.Store
	batch    []retrieval
	storeErr error // the store no longer works
	stop     func()

	escapes captures.Escapes

	rules, unavailable, unreachable, notLater, replaced, refused atomic.Int64
}

type retrieval struct {
	name   string // the file, or the line of a file
	result fetch.Result
	err    error

	isReplaced bool // another line for the same site is used instead
}

//go:embed import.txt
var importHelp string

func cacheImportCommand(a *term.Terminal) *cobra.Command {
	o := &cacheImport{term: a}
	c := flags.WithHelp(importHelp, &cobra.Command{
		Use:   "import FOLDER|FILE…",
		Short: "Put robots.txt files that were fetched elsewhere into the cache",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New(`no source is given: name a folder with robots.txt files, a file of JSON lines, CSV, TSV or Parquet, or "-" for standard input`)
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return o.run(args) },
	})
	sites.StoreFlag(c, &o.storeFlag)
	schemes := []string{"https", "http", "ftp"}
	c.Flags().StringVar(&o.scheme, "scheme", schemes[0], "scheme of the sites whose files are in a folder: "+strings.Join(schemes, ", "))
	flags.Choose(c, "scheme", schemes)
	flags.ColumnsFlag(c, &o.columns, "of a FILE")
	return c
}

func (o *cacheImport) run(paths []string) error {
	store, closeStore, err := sites.OpenStore(o.term, o.storeFlag, true, nil)
	if err != nil {
		return err
	}
	defer closeStore()
	o.store = store
	interrupted, stop := term.Interruptible()
	defer stop()
	ctx, cancel := context.WithCancel(interrupted)
	defer cancel()
	o.stop = cancel
	stopShowing := o.term.ShowProgress(func(time.Duration) string { return o.summary() })
	for _, path := range paths {
		if err := o.importPath(ctx, path); err != nil {
			o.term.Complain(err) // the other paths can still be imported
		}
	}
	stopShowing()
	o.escapes.Tell(o.term)
	fmt.Fprintln(o.term.Out, o.summary())
	if interrupted.Err() != nil {
		return term.ErrInterrupted
	}
	return o.storeErr
}

func (o *cacheImport) importPath(ctx context.Context, path string) error {
	if path != "-" {
		switch info, err := os.Stat(path); {
		case err != nil:
			return err
		case info.IsDir():
			return o.fromFolder(ctx, path)
		case info.Mode().IsRegular():
			return o.fromFile(ctx, path, path)
		case info.Mode()&fs.ModeNamedPipe == 0:
			return fmt.Errorf("%s is a device or a socket: expected a file, a folder or a pipe", path) // reading may never end
		}
	}
	in, err := o.term.OpenInput(path)
	if err != nil {
		return err
	}
	defer in.Close()
	name := input.NameOf(path)
	copied, err := os.CreateTemp("", "heed-import-*") // fromFile reads its file twice, and a pipe can be read only once
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	defer os.Remove(copied.Name())
	if err := copyUntil(ctx, copied, in); err != nil {
		o.term.Complain(fmt.Errorf("%s: %w", name, err)) // what came before the error can still be imported
	}
	return o.fromFile(ctx, name, copied.Name())
}

// If ctx ends first, the copying continues in the background.
func copyUntil(ctx context.Context, copyFile *os.File, source io.Reader) error {
	copied := make(chan error, 1)
	go func() { // may wait for input until the process ends
		_, err := io.Copy(copyFile, source)
		copied <- errors.Join(err, copyFile.Close())
	}()
	select {
	case err := <-copied:
		return err
	case <-ctx.Done():
		return nil
	}
}

// Each write to the store may wait for the disk, so one write stores many results.
const batchSize = 256

func importAll[In any](ctx context.Context, o *cacheImport, items iter.Seq[In], resultOf func(In) retrieval) {
	worker := func() func(In) retrieval { return resultOf }
	ordered.Map(runtime.GOMAXPROCS(0), ordered.Until(ctx, items), worker, func(s retrieval) {
		if o.batch = append(o.batch, s); len(o.batch) == batchSize {
			o.importBatch(ctx)
		}
	})
	o.importBatch(ctx)
}

func (o *cacheImport) importBatch(ctx context.Context) {
	var results []fetch.Result
	var of []retrieval
	for _, s := range o.batch {
		switch {
		case s.isReplaced:
			o.replaced.Add(1)
		case s.err != nil:
			o.refuse(s)
		default:
			results, of = append(results, s.result), append(of, s)
		}
	}
	o.batch = o.batch[:0]
	if ctx.Err() != nil {
		return
	}
	errs := o.importWithRetries(ctx, results)
	if o.storeErr = storeError(errs); o.storeErr != nil {
		o.stop()
		return
	}
	for i, err := range errs {
		switch {
		case err == nil:
			outcome := results[i].Outcome(nil)
			o.count(outcome)
			if outcome == fetch.Rules && results[i].Page == fetch.NoPage && saved.HasEscapes(string(results[i].Body)) {
				o.escapes.Add(of[i].name, "", results[i].Origin.RobotsURL())
			}
		case errors.Is(err, cache.ErrNotLater):
			o.notLater.Add(1)
		default:
			of[i].err = err
			o.refuse(of[i])
		}
	}
}

// A shared store may be slow for a moment, so heed tries again.
const (
	importTries = 3
	importPause = time.Second
)

func (o *cacheImport) importWithRetries(ctx context.Context, results []fetch.Result) []error {
	errs := cache.Import(ctx, o.store, nil, results)
	for range importTries - 1 {
		var again []fetch.Result
		var of []int
		for i, err := range errs {
			if err != nil && !errors.Is(err, cache.ErrNotLater) {
				again, of = append(again, results[i]), append(of, i)
			}
		}
		if len(again) == 0 {
			break
		}
		select {
		case <-time.After(importPause):
		case <-ctx.Done():
			return errs
		}
		for i, err := range cache.Import(ctx, o.store, nil, again) {
			errs[of[i]] = err
		}
	}
	return errs
}

// If no result was stored, the store does not work. ErrNotLater only means that the store has a later result.
func storeError(errs []error) error {
	works := func(err error) bool { return err == nil || errors.Is(err, cache.ErrNotLater) }
	if len(errs) == 0 || slices.ContainsFunc(errs, works) {
		return nil
	}
	return errs[0]
}

func (o *cacheImport) count(outcome fetch.Outcome) {
	switch outcome {
	case fetch.Rules:
		o.rules.Add(1)
	case fetch.Unavailable:
		o.unavailable.Add(1)
	default:
		o.unreachable.Add(1)
	}
}

func (o *cacheImport) refuse(s retrieval) {
	o.refused.Add(1)
	o.term.Complain(fmt.Errorf("%s: %w", s.name, s.err))
}

func (o *cacheImport) summary() string {
	rules, unavailable, unreachable := o.rules.Load(), o.unavailable.Load(), o.unreachable.Load()
	text := fmt.Sprintf("%d imported", rules+unavailable+unreachable)
	if unavailable+unreachable > 0 {
		text += fmt.Sprintf(" (%d with rules, %d unavailable, %d unreachable)", rules, unavailable, unreachable)
	}
	if n := o.notLater.Load(); n > 0 {
		text += fmt.Sprintf(", %d skipped: the cache has a retrieval of the same time or later", n)
	}
	if n := o.replaced.Load(); n > 0 {
		text += fmt.Sprintf(", %d skipped: another line has the same site and time, or the same site and a time", n)
	}
	if n := o.refused.Load(); n > 0 {
		text += fmt.Sprintf(", %d refused", n)
	}
	return text
}

// The name of each file is the host of a site.
func (o *cacheImport) fromFolder(ctx context.Context, folder string) error {
	if _, err := os.Stat(filepath.Join(folder, sites.StoreFile)); err == nil {
		return fmt.Errorf("%s is a cache of heed; expected a folder with robots.txt files. To copy the cache, make a folder NEW, and run sqlite3 %s \"VACUUM INTO 'NEW/%s'\"", folder, filepath.Join(folder, sites.StoreFile), sites.StoreFile)
	}
	entries, err := saved.List(folder)
	if err != nil {
		return err
	}
	importAll(ctx, o, slices.Values(entries), func(e saved.Entry) retrieval {
		r := retrieval{name: e.Path}
		r.result, r.err = readHost(e, o.scheme)
		return r
	})
	return nil
}

func readHost(e saved.Entry, scheme string) (fetch.Result, error) {
	if e.Unused != nil {
		return fetch.Result{}, e.Unused
	}
	site, err := origin.Parse(scheme + "://" + e.Host)
	if err == nil && site.Authority() != e.Host {
		err = fmt.Errorf("%d is the default port of %s: leave the port out of the name of the file", site.Port(), scheme)
	}
	if err != nil {
		return fetch.Result{}, err
	}
	body, changed, err := saved.ReadFile(e.Path)
	if err != nil {
		return fetch.Result{}, err
	}
	return savedAt(site, 0, body, changed)
}

// savedAt accepts a time before 1994. A file may have such a time, for example in an archive that was made
// reproducible.
func savedAt(site origin.Origin, status int, body []byte, at time.Time) (fetch.Result, error) {
	if at.After(time.Now()) {
		return fetch.Result{}, saved.CheckTime(at)
	}
	return fetch.Saved(fetch.Result{Origin: site, Status: status, Body: body, Start: at, End: at}, 0), nil
}

// fromFile reads the file twice, because a later line may replace an earlier line about the same site.
func (o *cacheImport) fromFile(ctx context.Context, name, path string) error {
	var replaced saved.Replaced
	type answer struct {
		saved.Answer
		number int
	}
	find := func(all *bulksource.Records) {
		worker := func() func(bulksource.Record) answer {
			return func(r bulksource.Record) (a answer) {
				if read, err := readRecord(r); err == nil {
					a.Answer, a.Body, a.number = read, nil, r.Number
				}
				return a
			}
		}
		ordered.Map(runtime.GOMAXPROCS(0), ordered.Until(ctx, all.All()), worker, func(a answer) {
			if a.number > 0 {
				replaced.Add(a.number, &a.Answer)
			}
		})
	}
	now := time.Now()
	put := func(all *bulksource.Records) {
		importAll(ctx, o, all.All(), func(r bulksource.Record) retrieval {
			item := retrieval{name: name + ", " + r.Place, isReplaced: replaced.Lines[r.Number]}
			if !item.isReplaced {
				item.result, item.err = readItem(r, now)
			}
			return item
		})
	}
	o.withRecords(ctx, name, path, find) // the second call returns the same error
	return o.withRecords(ctx, name, path, put)
}

func (o *cacheImport) withRecords(ctx context.Context, name, path string, use func(*bulksource.Records)) error {
	all, err := bulksource.OpenRecords(path, name, &o.columns)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	use(all)
	if ctx.Err() != nil {
		return nil // the records stay open, because a worker may still read them
	}
	all.Close()
	return all.Err()
}

func readRecord(r bulksource.Record) (saved.Answer, error) {
	a, err := r.Read(true)
	switch {
	case err != nil:
	case !a.IsRobots():
		err = fmt.Errorf("%s is not the URL of a robots.txt; expected %s", a.URL, a.Origin.RobotsURL())
	case redirect.Is(a.Status) && a.Location == "":
		err = fmt.Errorf("the row has the status %d, a redirect, but not its target: expected the target as \"location\"", a.Status)
	}
	return a, err
}

func readItem(r bulksource.Record, now time.Time) (fetch.Result, error) {
	a, err := readRecord(r)
	if err != nil {
		return fetch.Result{}, err
	}
	return savedAt(a.Origin, a.Status, a.Body, cmp.Or(a.At, now))
}
