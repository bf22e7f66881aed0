package redis

import (
	"context"
	"iter"

	"github.com/redis/rueidis"

	"github.com/heed-robots/heed/origin"
)

const page = 500

// Origins implements cache.Store. It examines all keys. If keys change meanwhile, an origin may be yielded twice.
func (s *Store) Origins(ctx context.Context) iter.Seq2[origin.Origin, error] {
	return s.scanOrigins(ctx, "")
}

func (s *Store) scanOrigins(ctx context.Context, suffix string) iter.Seq2[origin.Origin, error] {
	return func(yield func(origin.Origin, error) bool) {
		nodes, err := ask(ctx, s.link, s.channel(), masters)
		if err != nil {
			yield(origin.Origin{}, err)
			return
		}
		for _, node := range nodes {
			if !s.scan(ctx, node, suffix, yield) {
				return
			}
		}
	}
}

// In a cluster, replicas are left out, because each key is also on a master.
func masters(ctx context.Context, c rueidis.Client) ([]rueidis.Client, error) {
	var nodes []rueidis.Client
	for _, node := range c.Nodes() {
		if c.Mode() == rueidis.ClientModeCluster {
			role, err := node.Do(ctx, node.B().Role().Build()).ToArray()
			if err == nil && len(role) == 0 {
				err = errReply
			}
			if err != nil {
				return nil, err
			}
			if name, err := role[0].ToString(); err != nil || name != "master" {
				continue
			}
		}
		nodes = append(nodes, node)
	}
	return nodes, nil
}

func (s *Store) scan(ctx context.Context, node rueidis.Client, suffix string, yield func(origin.Origin, error) bool) bool {
	for cursor := uint64(0); ; {
		entry, err := ask(ctx, s.link, s.channel(), func(ctx context.Context, _ rueidis.Client) (rueidis.ScanEntry, error) {
			return node.Do(ctx, node.B().Scan().Cursor(cursor).Match(s.pattern(suffix)).Count(page).Build()).AsScanEntry()
		})
		if err != nil {
			yield(origin.Origin{}, err)
			return false
		}
		for _, key := range entry.Elements {
			if o, ours, err := s.originIn(key, suffix); ours && !yield(o, err) {
				return false
			}
		}
		if cursor = entry.Cursor; cursor == 0 {
			return true
		}
	}
}
