package verdicts

import (
	"context"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/heed-robots/heed/internal/bulk"
	"github.com/heed-robots/heed/internal/bulk/capture"
	"github.com/heed-robots/heed/internal/bulk/stream"
)

func init() {
	register.DoFn6x1[context.Context, string, func(*[]byte) bool, func(*[]byte) bool, func(int, []byte), func(tally), error](&shareChecker{})
}

// A share is a group of lines about one host, which are checked together. A bundle of Beam has several shares.
const (
	linesInShareName  = "lines in a share"
	linesInBundleName = "lines in a bundle"
)

var (
	linesInShare  = beam.NewDistribution("heed", linesInShareName)
	linesInBundle = beam.NewDistribution("heed", linesInBundleName)
)

func check(s beam.Scope, shares beam.PCollection, o *Options) (rows, checked beam.PCollection) {
	return beam.ParDo2(s.Scope("check"), &shareChecker{Options: *o}, shares)
}

type shareChecker struct {
	Options

	archive *shareArchive
	checker *bulk.Checker
	writer  *stream.Writer
	decider *bulk.Decider

	lines []stream.Line
	urls  []string
	rows  [][]byte
	tally tally
	n     int64
}

const (
	maxRows = 256 << 10 // bytes of rows; if there are more, the rows are sent
	batch   = 1024      // how many lines one call checks
	// A worker keeps few parsed robots.txt files, because each is needed for one host only.
	maxRules = 16 << 20
)

func (j *shareChecker) Setup() error {
	writer, columns, err := j.Options.writer()
	if err != nil {
		return err
	}
	j.writer, j.archive = writer, &shareArchive{}
	j.decider = bulk.NewDecider(capture.Archives{j.archive}, columns, j.IfMissing, maxRules)
	if j.decider.Use, err = j.use(); err != nil {
		return err
	}
	j.checker = j.decider.Checker()
	j.rows = make([][]byte, j.Shards)
	return nil
}

func (j *shareChecker) StartBundle(_ func(int, []byte), _ func(tally)) {
	j.n, j.tally = 0, tally{Counts: j.decider.Counts()}
}

func (j *shareChecker) ProcessElement(ctx context.Context, key string, captures, blocks func(*[]byte) bool, emit func(int, []byte), _ func(tally)) error {
	if err := j.archive.replace(captures); err != nil {
		return err
	}
	var some []byte
	if !blocks(&some) {
		return nil
	}
	shard := int(hashOf(key) % uint32(j.Shards))
	lines := int64(0)
	for more := true; more; more = blocks(&some) {
		block, err := received[[]sentLine](some)
		if err != nil {
			return err
		}
		for i := range block {
			j.lines = append(j.lines, block[i].line())
			j.urls = append(j.urls, block[i].URL)
			if len(j.lines) == batch {
				j.check(shard, emit)
			}
		}
		lines += int64(len(block))
	}
	j.check(shard, emit)
	linesInShare.Update(ctx, lines)
	j.n += lines
	return nil
}

func (j *shareChecker) check(shard int, emit func(int, []byte)) {
	j.checker.Check(j.urls, func(i int, verdicts []bulk.Verdict, err error) {
		l := &j.lines[i]
		if l.Err = err; err != nil {
			j.tally.Rejected++
		} else {
			j.tally.Count(verdicts)
		}
		j.rows[shard] = j.writer.Append(j.rows[shard], l, verdicts)
	})
	j.lines, j.urls = j.lines[:0], j.urls[:0]
	if len(j.rows[shard]) >= maxRows {
		j.send(shard, emit)
	}
}

func (j *shareChecker) send(shard int, emit func(int, []byte)) {
	if len(j.rows[shard]) > 0 {
		emit(shard, j.rows[shard])
		j.rows[shard] = nil
	}
}

func (j *shareChecker) FinishBundle(ctx context.Context, emit func(int, []byte), count func(tally)) {
	for shard := range j.rows {
		j.send(shard, emit)
	}
	count(j.tally)
	linesInBundle.Update(ctx, j.n)
}

type shareArchive struct {
	set *capture.Set
	// bodyOffset is added to each BodyID of the set. So no later set has the same BodyID.
	bodyOffset capture.BodyID
}

func (a *shareArchive) replace(captures func(*[]byte) bool) error {
	if a.set != nil {
		a.bodyOffset += capture.BodyID(a.set.Bodies())
	}
	a.set = &capture.Set{}
	for some := []byte(nil); captures(&some); {
		c, err := received[capture.Capture](some)
		if err != nil {
			return err
		}
		a.set.Add(&c)
	}
	a.set.Seal()
	return nil
}

func (a *shareArchive) Entries(key string) ([]capture.Entry, error) {
	entries, err := a.set.Entries(key)
	entries = slices.Clone(entries)
	for i := range entries {
		if entries[i].Body != 0 {
			entries[i].Body += a.bodyOffset
		}
	}
	return entries, err
}

func (a *shareArchive) Body(id capture.BodyID) (string, error) {
	if id == 0 { // in every set, this is the BodyID of the empty body
		return "", nil
	}
	return a.set.Body(id - a.bodyOffset)
}
