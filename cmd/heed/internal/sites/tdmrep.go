package sites

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/spf13/cobra"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/usage"
)

// tdmReps fetches tdmrep.json files. It keeps them in memory, because a store keeps only robots.txt files.
type tdmReps struct {
	isAsked bool // the value of --tdmrep

	once  sync.Once
	cache *cache.Cache
	files sync.Map // the key is a *fetch.Result, the value is a func() *usage.TDMFile
}

func (l *Live) TDMRepFlag(c *cobra.Command) {
	c.Flags().BoolVar(&l.tdmreps.isAsked, tdmRepFlag, false, "with --for, also fetch /.well-known/tdmrep.json of the site")
}

const tdmRepFlag = "tdmrep"

func (l *Live) CheckTDMRep(isAsked bool) error {
	switch {
	case !l.tdmreps.isAsked:
		return nil
	case !isAsked:
		return errors.New("--tdmrep can only be used together with --for: add --for PURPOSE, or leave --tdmrep out")
	case l.Offline:
		return errors.New("--tdmrep fetches the tdmrep.json of the site, and --offline fetches nothing: leave one of them out")
	}
	return nil
}

// If the user asks for purposes, NoteResponses prints a notice, because heed requests no page.
func (l *Live) NoteResponses(isAsked bool) {
	if isAsked {
		l.Term.Notice(`note: headers and meta elements of a page may also say what it may be used for; heed reads them in responses that you give to "heed filter --responses" or "heed check --input jsonl"`)
	}
}

// TDMRep returns nil if the site has no tdmrep.json. If the file cannot be read, the result is usage.FailedTDMRep,
// because the file may reserve rights.
func (l *Live) TDMRep(ctx context.Context, o origin.Origin) *usage.TDMFile {
	t := &l.tdmreps
	if !t.isAsked || o.Scheme() == "ftp" {
		return nil
	}
	t.once.Do(func() {
		of := &l.Fetcher
		t.cache = &cache.Cache{Fetcher: &fetch.Fetcher{
			Path: usage.TDMRepPath, UserAgent: of.UserAgent, Timeout: of.Timeout, AllowPrivate: of.AllowPrivate, Proxy: of.Proxy,
		}}
	})
	site, err := t.cache.Site(ctx, o)
	if err != nil {
		return nil // an error means that ctx has ended
	}
	result := site.Result()
	once, _ := t.files.LoadOrStore(result, sync.OnceValue(func() *usage.TDMFile {
		file, err := readTDMRep(result)
		if err != nil {
			l.Term.Notice(fmt.Sprintf("%s%s is not known: %s", o, usage.TDMRepPath, printable.Text(err.Error())))
			return usage.FailedTDMRep(err.Error())
		}
		return file
	}))
	return once.(func() *usage.TDMFile)()
}

func readTDMRep(r *fetch.Result) (*usage.TDMFile, error) {
	switch outcome := r.OutcomeBy(fetch.StatusesOf(nil)); {
	case outcome == fetch.Unavailable:
		return nil, nil
	case outcome != fetch.Rules && r.Err != nil:
		return nil, r.Err
	case outcome != fetch.Rules:
		return nil, fmt.Errorf("the server sent the status %d; expected 200, or 404 if the site has no tdmrep.json", r.Status)
	case r.Truncated:
		return nil, fmt.Errorf("the tdmrep.json of the site is larger than %d bytes; expected a smaller file", usage.MaxTDMRep)
	}
	return usage.ReadTDMRep(r.Body)
}
