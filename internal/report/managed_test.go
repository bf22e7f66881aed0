package report_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/heed-robots/heed/internal/report"
	"github.com/heed-robots/heed/internal/testing/portion"
	"github.com/heed-robots/heed/robotstxt"
)

// managedIn returns Comparison.Managed of two files, for all crawlers that they name.
func managedIn(old, new string, d *robotstxt.Dialect) *report.Managed {
	c, _ := report.Compare(context.Background(), nil, report.Input{File: robotstxt.ParseString(old, d)}, report.Input{File: robotstxt.ParseString(new, d)}, nil)
	return c.Managed
}

const (
	ownFile = "User-agent: *\nDisallow: /x\n\nUser-agent: GPTBot\nDisallow: /y\n"
	block   = "# BEGIN Example Managed content\nUser-agent: GPTBot\nUser-agent: CCBot\nDisallow: /\n# END Example Managed Content\n"
)

func TestManaged(t *testing.T) {
	for _, c := range []struct{ name, old, new, want string }{
		{"no block", ownFile, block[:10] + ownFile, "null"},
		{"the own file behind a block", ownFile, block + "\n" + ownFile,
			`{"blocks":[{"file":"new","by":"Example","first_line":1,"last_line":5}],"changes":"all","merged":[{"agent":"GPTBot","effect":"joined","lines":[2],"own":[10]},{"agent":"CCBot","effect":"replaces","lines":[2],"own":[7]}]}`},
		{"a block alone", "", block,
			`{"blocks":[{"file":"new","by":"Example","first_line":1,"last_line":5}],"changes":"all","merged":[{"agent":"GPTBot","effect":"adds","lines":[2],"own":[]},{"agent":"CCBot","effect":"adds","lines":[2],"own":[]}]}`},
		{"a block that changes nothing", "User-agent: a\nDisallow: /\n", "# begin managed\n# end managed\nUser-agent: a\nDisallow: /\n",
			`{"blocks":[{"file":"new","first_line":1,"last_line":2}],"merged":[]}`},
		{"a change of the owner too", ownFile, block + "User-agent: *\nDisallow: /z\nUser-agent: GPTBot\nDisallow: /y\n",
			`{"blocks":[{"file":"new","by":"Example","first_line":1,"last_line":5}],"changes":"some","others":["*"],"merged":[{"agent":"GPTBot","effect":"joined","lines":[2],"own":[8]},{"agent":"CCBot","effect":"replaces","lines":[2],"own":[6]}]}`},
		{"a change of the owner only", "User-agent: *\nDisallow: /x\n", "#BEGIN A managed block\n#END A managed block\nUser-agent: *\nDisallow: /z\n",
			`{"blocks":[{"file":"new","by":"A","first_line":1,"last_line":2}],"changes":"none","merged":[]}`},
		{"no END", ownFile, strings.Split(block, "# END")[0] + ownFile,
			`{"blocks":[{"file":"new","by":"Example","first_line":1}],"changes":"unknown","merged":[]}`},
		{"the END of another one", ownFile, strings.Replace(block, "END Example", "END Other", 1) + ownFile,
			`{"blocks":[{"file":"new","by":"Example","first_line":1}],"changes":"unknown","merged":[]}`},
		{"BEGIN twice", ownFile, "# BEGIN Example managed\n" + block + ownFile,
			`{"blocks":[{"file":"new","by":"Example","first_line":1},{"file":"new","by":"Example","first_line":2,"last_line":6}],"changes":"unknown","merged":[]}`},
		{"END alone", "", "# END Example managed\nUser-agent: *\nDisallow: /\n", "null"},
		{"two blocks", ownFile, block + ownFile + strings.NewReplacer("Example", "Other Edge", "CCBot", "a").Replace(block),
			`{"blocks":[{"file":"new","by":"Example","first_line":1,"last_line":5},{"file":"new","by":"Other Edge","first_line":11,"last_line":15}],"changes":"all","merged":[{"agent":"GPTBot","effect":"joined","lines":[2,12],"own":[9]},{"agent":"CCBot","effect":"replaces","lines":[2],"own":[6]},{"agent":"a","effect":"replaces","lines":[12],"own":[6]}]}`},
		{"a block that changes", block + ownFile, strings.Replace(block, "CCBot", "ClaudeBot", 1) + ownFile,
			`{"blocks":[{"file":"old","by":"Example","first_line":1,"last_line":5},{"file":"new","by":"Example","first_line":1,"last_line":5}],"changes":"all","merged":[{"agent":"GPTBot","effect":"joined","lines":[2],"own":[9]},{"agent":"ClaudeBot","effect":"replaces","lines":[2],"own":[6]}]}`},
		{"a block that is gone", block + ownFile, ownFile,
			`{"blocks":[{"file":"old","by":"Example","first_line":1,"last_line":5}],"changes":"all","merged":[]}`},
		{"rules that continue the block", "Disallow: /x\n", "# BEGIN managed\nUser-agent: *\nAllow: /\n# END managed\nDisallow: /x\n",
			`{"blocks":[{"file":"new","first_line":1,"last_line":4}],"changes":"all","merged":[{"agent":"*","effect":"joined","lines":[2],"own":[]}]}`},
		{"a group that goes on behind the block", "", "# BEGIN managed\nUser-agent: a\n# END managed\nUser-agent: b\nDisallow: /\n",
			`{"blocks":[{"file":"new","first_line":1,"last_line":3}],"changes":"some","others":["b"],"merged":[{"agent":"a","effect":"joined","lines":[2],"own":[]}]}`},
		{"decorated marks", "", "\ufeff  ### --- Begin ExampleCDN MANAGED rules --- ###\nUser-agent: *\nDisallow: /\n### --- End examplecdn Managed rules --- ###",
			`{"blocks":[{"file":"new","by":"ExampleCDN","first_line":1,"last_line":4}],"changes":"all","merged":[{"agent":"*","effect":"adds","lines":[2],"own":[]}]}`},
		{"sentences", "", "# Begin here: this file is managed by the team of the shop\n# managed\n# BEGIN unmanaged\nUser-agent: *\nDisallow: /\n# END unmanaged\n", "null"},
	} {
		for _, ends := range []string{"\n", "\r\n", "\r"} {
			old, new := strings.ReplaceAll(c.old, "\n", ends), strings.ReplaceAll(c.new, "\n", ends)
			got, err := json.Marshal(managedIn(old, new, robotstxt.RFC9309))
			if err != nil || string(got) != c.want {
				t.Errorf("%s, with %q: %v\n got %s\nwant %s", c.name, ends, err, got, c.want)
			}
		}
	}
}

// S94-6, S96-6: in dialects that use only the first group, a block in front takes the place of the
// owner's group, and a block behind it does nothing.
func TestManagedInOldDialects(t *testing.T) {
	for _, d := range []*robotstxt.Dialect{robotstxt.Standard1994, robotstxt.Draft1996} {
		front, behind := managedIn(ownFile, block+"\n"+ownFile, d).Merged[0], managedIn(ownFile, ownFile+"\n"+block, d).Merged[0]
		if front.Effect != report.MergedReplaces || !slices.Equal(front.Own, []int{10}) || behind.Effect != report.MergedNothing || !slices.Equal(behind.Own, []int{4}) {
			t.Errorf("%s: %+v, %+v", d, front, behind)
		}
	}
}

// Others also has crawlers whose names are no UTF-8.
func TestManagedOthersNotUTF8(t *testing.T) {
	m := managedIn("User-agent: \xff\nDisallow: /x\n", block+"User-agent: \xff\nDisallow: /z\n", robotstxt.Standard1994)
	if m.Changes != "some" || !slices.ContainsFunc(m.Others, func(a report.Agent) bool { return slices.Equal(a, report.Agent{"\ufffd"}) }) {
		t.Errorf("%s, %q", m.Changes, m.Others)
	}
}

// The numbers of lines without the blocks stay the same, and the files without their blocks are
// what they would be if no block had been there.
func TestManagedIsAsWithoutBlock(t *testing.T) {
	for _, d := range robotstxt.Dialects() {
		for _, own := range []string{ownFile, "", "\n", "Disallow: /a", "User-agent: a\n\nDisallow: /\n", "\ufeffUser-agent: *\nDisallow: /"} {
			m := managedIn(own, block+"\n"+own, d)
			if m == nil || m.Changes != "all" && m.Changes != "" {
				t.Errorf("%s, %q: %+v", d, own, m)
			}
		}
	}
}

// Files with very many names, groups and blocks take seconds at most, and their JSON stays small.
func TestManagedHostile(t *testing.T) {
	portion.Skip(t, 4)
	var names, groups, blocks strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&names, "User-agent: a%c%c%c\n", 'a'+i%26, 'a'+i/26%26, 'a'+i/26/26)
		groups.WriteString("User-agent: *\nDisallow: /\n")
		blocks.WriteString("# BEGIN managed\nUser-agent: b\nDisallow: /\n# END managed\n")
	}
	for _, new := range []string{
		"# BEGIN managed\n" + names.String() + "Disallow: /\n# END managed\n" + groups.String(),
		blocks.String(),
		strings.Repeat("# BEGIN managed\n", 10_000) + blocks.String(),
	} {
		start := time.Now()
		m := managedIn("User-agent: *\nDisallow: /\n", new, robotstxt.RFC9309)
		got, err := json.Marshal(m)
		if took := time.Since(start); err != nil || len(got) > 2<<20 || len(m.Merged) > 1000 || took > 10*time.Second {
			t.Errorf("%v, %d bytes, %s", err, len(got), took)
		}
	}
}
