package cli

import (
	"context"
	"fmt"

	"github.com/heed-robots/heed/internal/ordered"
	"github.com/heed-robots/heed/origin"
)

// maxLive is how many questions wait for sites at the same time.
const maxLive = 64

// checkLive checks URLs against what their sites say now.
func (o *check) checkLive(urls []string) error {
	closeAll, err := o.live.open(o.dialect)
	if err != nil {
		return err
	}
	defer closeAll()
	l := list{w: o.out, array: o.format == "json"}
	defer l.close()
	ctx, stop := interruptible()
	defer stop()
	in := &urlReader{urls: urls, lines: lineReader{in: o.in, number: 1}}
	worker := func() func(given) answers {
		return func(g given) (a answers) {
			if g.url != "" {
				o.answerLive(ctx, &a, g.url)
			}
			o.leftOut(&a, g.tooLong)
			return a
		}
	}
	var broken error
	ordered.Map(maxLive, in.start(ctx), worker, func(a answers) {
		o.write(&l, a)
		if broken = o.out.Flush(); broken != nil {
			stop() // nobody hears the other answers
		}
	})
	switch {
	case broken != nil:
		return nil // which is reported at the end
	case ctx.Err() != nil:
		return errInterrupted
	}
	return in.lines.failure()
}

// answerLive adds what there is to say about a URL of a live site.
func (o *check) answerLive(ctx context.Context, a *answers, url string) {
	if _, err := origin.Parse(url); err != nil {
		o.refuse(a, url, needsURL(url))
		return
	}
	for _, c := range o.crawlers {
		answer, err := o.live.ask(ctx, c.tokens, url)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			o.fail(a, url, answer.Decision, fmt.Errorf("%s: %w", url, err))
			return
		}
		o.answer(a, c, url, answer.Decision, &answer)
	}
}
