package redis_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/heed-robots/heed/cache/storetest"
	"github.com/heed-robots/heed/internal/testing/portion"
	"github.com/heed-robots/heed/internal/testing/redistest"
	"github.com/heed-robots/heed/store/redis"
)

// TestCluster tests the contract of a store with a cluster of three nodes; then with a
// replica, and with a node that is killed.
func TestCluster(t *testing.T) {
	portion.Skip(t, 4)
	t.Parallel()
	nodes := startCluster(t)
	url := fmt.Sprintf("%s?addr=%s", nodes[0].URL(), nodes[1].Addr())
	testContract(t, url, nodes[2].raw(), "", "head")
	testPacer(t, url)
	for _, node := range nodes {
		if runCommand(t, node.single(), "DBSIZE") == "0" {
			t.Errorf("the node %s has no keys", node.Addr())
		}
	}
	replicate(t, nodes)
	t.Run("Replica", func(t *testing.T) { testOriginsOnce(t, url) })
	t.Run("Outage", func(t *testing.T) { testKilledNode(t, url, nodes[1]) })
}

// testOriginsOnce: Origins does not return an origin a second time because of a replica.
func testOriginsOnce(t *testing.T, url string) {
	store := open(t, url, redis.Options{Prefix: "once:", Timeout: longTimeout})
	const many = 100
	for i := range many {
		if err := store.Put(ctx, storetest.Record(storetest.Origin(i), start, "x")); err != nil {
			t.Fatal(err)
		}
	}
	n := 0
	for _, err := range store.Origins(ctx) {
		if n++; err != nil {
			t.Fatal(err)
		}
	}
	if n != many {
		t.Errorf("%d origins, want %d", n, many)
	}
}

// testKilledNode: the store works again after a node was killed and started again.
func testKilledNode(t *testing.T, url string, node *server) {
	store := open(t, url, redis.Options{})
	w := work(t, store)
	w.during("up", 100*time.Millisecond, 0)
	node.Kill()
	w.during("one node down", 1500*time.Millisecond, 0)
	node.Start()
	w.end()
	for i := range 50 {
		o := storetest.Origin(i)
		eventually(t, 2*maxRecover, "Put", func() bool { return store.Put(ctx, storetest.Record(o, start, "again")) == nil })
	}
}

// startCluster returns the nodes of a cluster that is ready.
func startCluster(t *testing.T) []*server {
	const slots = 16384
	nodes := make([]*server, 3)
	for i := range nodes {
		nodes[i] = startNode(t)
		node, end := nodes[i].single(), (i+1)*slots/len(nodes)-1
		runCommand(t, node, "CLUSTER", "SET-CONFIG-EPOCH", strconv.Itoa(i+1))
		runCommand(t, node, "CLUSTER", "ADDSLOTSRANGE", strconv.Itoa(i*slots/len(nodes)), strconv.Itoa(end))
	}
	for _, other := range nodes[1:] {
		meet(t, nodes[0], other)
	}
	for _, node := range nodes {
		eventually(t, 20*time.Second, "the cluster is ready", func() bool {
			info := runCommand(t, node.single(), "CLUSTER", "INFO")
			return strings.Contains(info, "cluster_state:ok") && strings.Contains(info, "cluster_size:3")
		})
	}
	return nodes
}

func startNode(t *testing.T) *server {
	return startServer(t, "--repl-diskless-sync-delay", "0", "--repl-ping-replica-period", "1",
		"--cluster-enabled", "yes", "--cluster-port", strconv.Itoa(redistest.FreePort(t)))
}

func meet(t *testing.T, node, other *server) {
	bus := other.Args[len(other.Args)-1]
	runCommand(t, node.single(), "CLUSTER", "MEET", "127.0.0.1", strconv.Itoa(other.Port), bus)
}

// replicate gives the first node a replica, and waits until all nodes list it.
func replicate(t *testing.T, nodes []*server) {
	replica := startNode(t)
	meet(t, nodes[0], replica)
	id := runCommand(t, nodes[0].single(), "CLUSTER", "MYID")
	eventually(t, 20*time.Second, "the replica knows its master", func() bool {
		return strings.Contains(runCommand(t, replica.single(), "CLUSTER", "NODES"), id)
	})
	runCommand(t, replica.single(), "CLUSTER", "REPLICATE", id)
	for _, node := range nodes {
		eventually(t, 20*time.Second, "all nodes list the replica", func() bool {
			runCommand(t, nodes[0].single(), "PUBLISH", "any", "something to replicate")
			slots, err := node.single().Do(ctx, node.single().B().ClusterSlots().Build()).ToMessage()
			return err == nil && strings.Contains(slots.String(), strconv.Itoa(replica.Port))
		})
	}
}
