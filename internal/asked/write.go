package asked

import (
	"context"
	"errors"

	"github.com/heed-robots/heed/crawlers"
	"github.com/heed-robots/heed/internal/policyfile"
	"github.com/heed-robots/heed/robotstxt"
)

func write(asked *Question) (Work, error) {
	var q struct {
		Policy *string `json:"policy"`
	}
	if err := asked.Decode(&q); err != nil {
		return nil, err
	}
	if q.Policy == nil {
		return nil, Wrong(`"policy" is missing; expected a policy as text, such as "ai-training: disallow"`)
	}
	f, notes, wrong := policyfile.Read("robots.policy", *q.Policy, crawlers.Known())
	if len(wrong) > 0 {
		return nil, Wrong("%w", errors.Join(wrong...))
	}
	return func(ctx context.Context) (any, error) {
		written, err := f.Write(ctx, crawlers.Known(), asked.Test)
		if err != nil {
			return nil, Wrong("%w", err)
		}
		written.Notes = append(notes, written.Notes...)
		return written, nil
	}, nil
}

func policyOf(asked *Question) (Work, error) {
	var q Source
	if err := asked.read(&q, &q.Text); err != nil {
		return nil, err
	}
	robots, err := asked.find(&q, "robots", robotstxt.RFC9309)
	return func(ctx context.Context) (any, error) {
		in, err := robots.Input()
		if err != nil {
			return nil, err
		}
		if q.URL == "" {
			in.Name = "robots.txt"
		}
		drawn, err := policyfile.From(ctx, in.Name, in.File, crawlers.Known())
		switch {
		case errors.Is(err, policyfile.ErrNoRobots):
			return nil, &Problem{Status: statusNothing, Err: err}
		case err != nil:
			return nil, Wrong("%w", err)
		}
		return drawn, nil
	}, err
}
