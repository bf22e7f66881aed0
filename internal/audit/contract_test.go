package audit_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"maps"
	"net/netip"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/heed-robots/heed/crawlers"
	"github.com/heed-robots/heed/internal/audit"
	"github.com/heed-robots/heed/internal/ranges"
	"github.com/heed-robots/heed/internal/testing/portion"
	"github.com/heed-robots/heed/origin"
)

// A hit is a line of a log in a test. The day is one of May 2026.
type hit struct {
	at      string // such as "3 10:00"
	agent   string // the name of a crawler; "": a browser
	address string // "": one of the crawler's own
	request string // such as "GET /a"
	status  int    // 0: 200
	host    string
	more    string // behind the line
}

// own are addresses of crawlers in the lists of the tests.
var own = map[string]string{"GPTBot": "20.1.0.1", "OAI-SearchBot": "20.2.0.1", "ChatGPT-User": "20.3.0.1", "AdsBot-Google": "66.1.0.1", "Googlebot": "66.2.0.1", "ClaudeBot": "160.79.0.1"}

func timeOf(text string) time.Time {
	day, clock, _ := strings.Cut(text, " ")
	if len(clock) == len("10:00") {
		clock += ":00"
	}
	at, err := time.Parse("2006-1-2 15:04:05", "2026-5-"+day+" "+clock)
	if err != nil {
		panic(err)
	}
	return at
}

// String returns the line in the format Combined.
func (h hit) String() string {
	agent, address, status := facts[h.agent].agent, h.address, h.status
	if h.agent == "" {
		agent = browser
	} else if agent == "" {
		agent = h.agent
	}
	if address == "" {
		if address = own[h.agent]; address == "" {
			address = "80.0.0.1"
		}
	}
	if status == 0 {
		status = 200
	}
	host := h.host
	if host != "" {
		host += " "
	}
	return fmt.Sprintf(`%s%s - - [%s] "%s HTTP/1.1" %d 5 "-" "%s"%s`, host, address, timeOf(h.at).Format("02/Jan/2006:15:04:05 -0700"), h.request, status, agent, h.more)
}

// linesOf returns a log with hits in the order of time, and with a browser at each full hour from 1 May to the last hit, so that it
// has no gap; every 12 hours somebody fetches robots.txt.
func linesOf(hits ...hit) string {
	all := slices.Clone(hits)
	last := timeOf("1 00:00")
	for _, h := range hits {
		if at := timeOf(h.at); at.After(last) {
			last = at
		}
	}
	for at := timeOf("1 00:00"); at.Before(last); at = at.Add(time.Hour) {
		request := "GET /"
		if at.Hour()%12 == 0 {
			request = "GET /robots.txt"
		}
		all = append(all, hit{at: at.Format("2 15:04"), request: request})
	}
	slices.SortStableFunc(all, func(a, b hit) int { return timeOf(a.at).Compare(timeOf(b.at)) })
	return textOf(all...)
}

// textOf returns a log with hits in the given order.
func textOf(all ...hit) string {
	var b strings.Builder
	for _, h := range all {
		fmt.Fprintln(&b, h)
	}
	return b.String()
}

func version(since, text string) audit.Version {
	v := audit.Version{Text: text}
	if since != "" {
		v.Since = timeOf(since)
	}
	return v
}

const closed = "User-agent: *\nDisallow: /private/\n"

// lists writes a folder of lists.
func lists(t *testing.T, files map[string]string) *ranges.Folder {
	t.Helper()
	folder := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	f, err := ranges.Read(folder, crawlers.Known())
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// auditOf audits logs, in which each crawler of own has a list.
func auditOf(t *testing.T, versions []audit.Version, change func(*audit.Options), logs ...string) (*audit.Report, []*audit.Finding) {
	t.Helper()
	files := map[string]string{}
	for name, address := range own {
		files[name+".txt"] = netip.PrefixFrom(netip.MustParseAddr(address), 24).Masked().String() + "\n"
	}
	o := &audit.Options{Table: crawlers.Known(), Ranges: lists(t, files), IsOneSite: true}
	o.Versions = func(origin.Origin) ([]audit.Version, error) { return versions, nil }
	for i, text := range logs {
		name := filepath.Join(t.TempDir(), fmt.Sprint("access.log.", i))
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		o.Logs = append(o.Logs, name)
	}
	var found []*audit.Finding
	o.Wants = func(string) bool { return true }
	o.Evidence = func(f *audit.Finding) error { found = append(found, f); return nil }
	if change != nil {
		change(o)
	}
	report, err := audit.Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return report, found
}

// toldOf returns what is told of each forbidden request: its target, and "proved" or the reason.
func toldOf(found []*audit.Finding) (all []string) {
	for _, f := range found {
		reason := f.Reason
		if f.Proved {
			reason += "proved"
		}
		all = append(all, f.Target+" "+reason)
	}
	return all
}

func expect(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func row(t *testing.T, r *audit.Report, crawler string, i audit.Identity) *audit.Row {
	t.Helper()
	for _, one := range r.Crawlers {
		if one.Crawler == crawler && one.Identity == i {
			return one
		}
	}
	t.Fatalf("no row of %s, %s", crawler, i)
	return nil
}

// AU-1: the version in force is the last one before the request.
func TestInForce(t *testing.T) {
	versions := []audit.Version{version("2 00:00", closed), version("3 12:00", "User-agent: *\nDisallow: /new\n")}
	log := linesOf(hit{at: "1 10:00:01", agent: "GPTBot", request: "GET /private/0"}, hit{at: "3 11:59:59", agent: "GPTBot", request: "GET /private/1"},
		hit{at: "3 11:59:59", agent: "GPTBot", request: "GET /new/1"}, hit{at: "3 12:00:01", agent: "GPTBot", request: "GET /private/2"},
		hit{at: "3 12:00:01", agent: "GPTBot", request: "GET /new/2"})
	report, found := auditOf(t, versions, nil, log)
	expect(t, toldOf(found), "/private/1 proved", "/new/2 proved")
	if r := row(t, report, "GPTBot", audit.Verified); r.Unchecked != 1 || r.Requests != 5 {
		t.Errorf("unchecked %d, requests %d; want 1 and 5", r.Unchecked, r.Requests)
	}
	if s := found[1].InForce.Since; s == nil || !s.Equal(timeOf("3 12:00")) {
		t.Errorf("in force since %v", s)
	}
	report, _ = auditOf(t, []audit.Version{version("", closed)}, nil, log)
	if !strings.Contains(strings.Join(report.Coverage.Notes, "\n"), "One robots.txt was used for all times") {
		t.Error("it is not said that one file was used for all times")
	}
}

// AU-2: what a crawler could know is what it last fetched.
func TestWhatItKnew(t *testing.T) {
	free := "User-agent: *\nDisallow:\n"
	closing := []audit.Version{version("", free), version("3 12:00", closed)} // the crawler may have the first one
	const request = "4 10:00"
	for _, test := range []struct {
		name     string
		versions []audit.Version
		hits     []hit
		want     string
	}{
		{"the newest version", closing, []hit{{at: "3 13:00", status: 200}}, "proved"},
		{"a copy of 24 hours", closing, []hit{{at: "3 10:00:01", status: 200}}, "copy-allows"},
		{"an older copy", closing, []hit{{at: "3 09:59:58", status: 200}}, "proved"},
		{"nothing", closing, nil, "proved"},
		{"206 may lack the rule", closing, []hit{{at: "3 13:00", status: 206}}, "copy-unknown"},
		{"204 has no rules", closing, []hit{{at: "3 13:00", status: 204}}, "copy-unknown"},
		{"304 renews", closing, []hit{{at: "2 11:00", status: 200}, {at: "3 11:00", status: 304}}, "copy-allows"},
		{"304 renews a copy that is not in force", closing, []hit{{at: "2 11:00", status: 200}, {at: "3 13:00", status: 304}}, "copy-allows"},
		{"304 renews the copy from before a redirect", closing, []hit{{at: "2 11:00", status: 200}, {at: "3 11:30", status: 301}, {at: "3 13:00", status: 304}}, "copy-allows"},
		{"304 without a copy, after a change", closing, []hit{{at: "3 13:00", status: 304}}, "copy-unknown"},
		{"304 without a copy", []audit.Version{version("", closed)}, []hit{{at: "3 13:00", status: 304}}, "proved"},
		{"404", closing, []hit{{at: "3 13:00", status: 404}}, "copy-allows"},
		{"403", closing, []hit{{at: "3 13:00", status: 403}}, "copy-allows"},
		{"429", closing, []hit{{at: "3 13:00", status: 429}}, "copy-allows"},
		{"404, older than 24 hours", closing, []hit{{at: "3 09:00", status: 404}}, "proved"},
		{"499", closing, []hit{{at: "3 13:00", status: 499}}, "copy-unknown"},
		{"a redirect", closing, []hit{{at: "3 13:00", status: 301}}, "copy-unknown"},
		{"500 with a good copy", closing, []hit{{at: "2 11:00", status: 200}, {at: "3 13:00", status: 500}}, "copy-allows"},
		{"500 with a good copy that disallows", closing, []hit{{at: "3 13:00", status: 200}, {at: "3 14:00", status: 500}}, "proved"},
		{"503 without a copy", closing, []hit{{at: "3 13:00", status: 503}}, "copy-allows"},
		{"503 without a copy, and nothing changed", []audit.Version{version("", closed)}, []hit{{at: "3 13:00", status: 503}}, "proved"},
		{"500 behind a redirect", []audit.Version{version("", closed), version("2 12:00", free), version("3 12:00", closed)},
			[]hit{{at: "3 11:00", status: 200}, {at: "3 12:30", status: 301}, {at: "3 13:00", status: 500}}, "copy-allows"},
		{"HEAD brings nothing", closing, []hit{{at: "3 11:00", request: "HEAD /robots.txt", status: 200}}, "proved"},
		{"another crawler of the operator", closing, []hit{{at: "3 11:00", agent: "OAI-SearchBot", status: 200}}, "copy-allows"},
		{"another crawler later", closing, []hit{{at: "3 11:00", status: 200}, {at: "3 13:00", agent: "OAI-SearchBot", status: 200}}, "copy-allows"},
		{"another crawler later has what allows", []audit.Version{version("", closed), version("3 12:00", free), version("3 14:00", closed)},
			[]hit{{at: "3 11:00", status: 200}, {at: "3 13:00", agent: "OAI-SearchBot", status: 200}}, "copy-allows"},
		{"another address of the crawler", closing, []hit{{at: "3 11:00", address: "20.1.0.200", status: 200}}, "copy-allows"},
		{"another operator", closing, []hit{{at: "3 11:00", agent: "ClaudeBot", status: 200}}, "proved"},
		{"somebody else with its name", closing, []hit{{at: "3 11:00", address: "45.0.0.1", status: 200}}, "proved"},
	} {
		for i := range test.hits {
			if test.hits[i].agent == "" {
				test.hits[i].agent = "GPTBot"
			}
			if test.hits[i].request == "" {
				test.hits[i].request = "GET /robots.txt"
			}
		}
		log := linesOf(append(test.hits, hit{at: request, agent: "GPTBot", request: "GET /private/"})...)
		_, found := auditOf(t, test.versions, nil, log)
		if told := toldOf(found); !slices.Equal(told, []string{"/private/ " + test.want}) {
			t.Errorf("%s: %q, want %s", test.name, told, test.want)
		}
	}
}

// AU-3: only what has all that a proof needs is proved.
func TestProof(t *testing.T) {
	differs := closed + "Disallow: /dir/\nAllow: /dir/index.html\n"
	log := linesOf(
		hit{at: "1 10:00:01", agent: "GPTBot", request: "GET /private/begin"},
		hit{at: "3 10:00:01", agent: "GPTBot", request: "GET /private/"},
		hit{at: "3 10:00:02", agent: "GPTBot", request: "HEAD /private/head"},
		hit{at: "3 10:00:03", agent: "GPTBot", request: "POST /private/post"},
		hit{at: "3 10:00:04", agent: "GPTBot", request: "GET /dir/"},
		hit{at: "3 10:00:05", agent: "GPTBot", request: "GET /private/impostor", address: "45.0.0.1"},
		hit{at: "3 10:00:06", agent: "ChatGPT-User", request: "GET /private/user"},
		hit{at: "3 10:00:07", agent: "GPTBot", request: "GET /allowed"},
		hit{at: "3 10:00:08", agent: "GPTBot", request: "GET /robots.txt", status: 302},
		hit{at: "3 10:00:09", agent: "GPTBot", request: "GET /private/unknown"},
		hit{at: "3 10:00:10", agent: "GPTBot", request: "GET /robots.txt", status: 404},
		hit{at: "3 10:00:11", agent: "GPTBot", request: "GET /private/allowed"},
		hit{at: "3 10:00:12", agent: "GPTBot", request: "POST /dir/"})
	report, found := auditOf(t, []audit.Version{version("", differs)}, nil, log)
	expect(t, toldOf(found), "/private/begin log-incomplete", "/private/ proved", "/private/head proved", "/private/post method", "/dir/ dialects-differ",
		"/private/impostor not-verified", "/private/user not-bound", "/private/unknown copy-unknown", "/private/allowed copy-allows", "/dir/ copy-allows")
	r := row(t, report, "GPTBot", audit.Verified)
	want := map[string]int64{"log-incomplete": 1, "method": 1, "dialects-differ": 1, "copy-unknown": 1, "copy-allows": 2}
	if r.Verdict != audit.Disobeys || r.Forbidden != 8 || r.Proved != 2 || !maps.Equal(r.Reasons, want) {
		t.Errorf("%s, forbidden %d, proved %d, %v", r.Verdict, r.Forbidden, r.Proved, r.Reasons)
	}
	// What excuses a crawler leaves it obedient.
	log = linesOf(hit{at: "3 10:00:03", agent: "GPTBot", request: "POST /private/post"}, hit{at: "3 10:00:04", agent: "GPTBot", request: "GET /dir/"})
	report, _ = auditOf(t, []audit.Version{version("", differs)}, nil, log)
	if r := row(t, report, "GPTBot", audit.Verified); r.Verdict != audit.Obeys || r.Forbidden != 2 {
		t.Errorf("%s, forbidden %d", r.Verdict, r.Forbidden)
	}
}

// AU-3, AU-4: a server may hide the end of each address. Such an address stands for its network.
func TestMaskedAddresses(t *testing.T) {
	folder := lists(t, map[string]string{"GPTBot.txt": "20.1.0.0/23\n20.2.0.16/28\n20.3.4.0/24\n2001:db8:1::/48\n2001:db8:2:3:4::/80\n"})
	addresses := []string{"20.1.0.0", "20.1.1.0", "20.2.0.0", "20.2.1.0", "20.3.4.0", "20.3.0.0", "20.4.0.0", "2001:db8:1::", "2001:db8:2::", "2001:db8:2:3::", "2001:db8:3::", "::ffff:20.2.0.0"}
	var hits []hit
	for i, a := range addresses {
		hits = append(hits, hit{at: fmt.Sprintf("2 10:00:%02d", i), agent: "GPTBot", request: "GET /private/" + a, address: a})
	}
	report, found := auditOf(t, []audit.Version{version("", closed)}, func(o *audit.Options) { o.Ranges = folder }, textOf(hits...))
	var told []string
	for _, f := range found {
		told = append(told, fmt.Sprint(strings.TrimPrefix(f.Target, "/private/"), " ", f.Identity))
	}
	expect(t, told, "20.1.0.0 not-checkable", "20.1.1.0 verified", "20.2.0.0 not-checkable", "20.2.1.0 impostor", "20.3.4.0 verified", "20.3.0.0 not-checkable", "20.4.0.0 impostor",
		"2001:db8:1:: verified", "2001:db8:2:: not-checkable", "2001:db8:2:3:: not-checkable", "2001:db8:3:: impostor", "::ffff:20.2.0.0 not-checkable")
	if notes := strings.Join(report.Coverage.Notes, "\n"); !strings.Contains(notes, "6 requests from addresses that end with .0 (or ::)") {
		t.Error(notes)
	}
	// Some servers hide more, and do not hide the addresses of their own machine. Of a short log, the other logs decide.
	extra := []hit{{at: "2 11:00:00", agent: "GPTBot", request: "GET /", address: "127.0.0.1"}, {at: "2 11:00:01", agent: "GPTBot", request: "GET /", address: "-"}}
	for i, a := range []string{"20.0.0.0", "2001:db8::", "0.0.0.0", "::"} {
		extra = append(extra, hit{at: fmt.Sprintf("2 12:00:%02d", i), agent: "GPTBot", request: "GET /private/" + a, address: a})
	}
	short := hit{at: "3 10:00:00", agent: "GPTBot", request: "GET /private/short", address: "20.2.0.0"}
	_, found = auditOf(t, []audit.Version{version("", closed)}, func(o *audit.Options) { o.Ranges = folder }, textOf(slices.Concat(hits, extra)...), textOf(short))
	for _, f := range found[len(hits):] {
		if f.Identity != audit.NotCheckable {
			t.Errorf("%s: %s", f.Target, f.Identity)
		}
	}
	// With one whole address, the log is not masked.
	hits = append([]hit{{at: "2 09:00:00", agent: "GPTBot", request: "GET /", address: "20.1.0.1"}}, hits...)
	_, found = auditOf(t, []audit.Version{version("", closed)}, func(o *audit.Options) { o.Ranges = folder }, textOf(hits...))
	for _, f := range found {
		if f.Identity == audit.NotCheckable {
			t.Errorf("%s: %s", f.Target, f.Identity)
		}
	}
}

// AU-4: who it was, by the list that was the latest before the request.
func TestIdentity(t *testing.T) {
	folder := lists(t, map[string]string{"GPTBot@2026-05-02.txt": "20.1.0.0/24\n", "GPTBot@2026-05-03.json": `{"creationTime":"2026-05-09T00:00:00","prefixes":[{"ipv4Prefix":"20.9.0.0/24","service":"crawl"}]}`})
	log := linesOf(
		hit{at: "1 10:00:01", agent: "GPTBot", request: "GET /private/early", address: "20.1.0.1"},
		hit{at: "1 10:00:02", agent: "GPTBot", request: "GET /private/early-other", address: "20.9.0.1"},
		hit{at: "2 10:00:01", agent: "GPTBot", request: "GET /private/old", address: "20.1.0.1"},
		hit{at: "2 10:00:02", agent: "GPTBot", request: "GET /private/old-other", address: "20.9.0.1"},
		hit{at: "3 10:00:01", agent: "GPTBot", request: "GET /private/new", address: "20.1.0.1"},
		hit{at: "3 10:00:02", agent: "GPTBot", request: "GET /private/new-other", address: "20.9.0.1"},
		hit{at: "3 10:00:03", agent: "ClaudeBot", request: "GET /private/none"})
	report, found := auditOf(t, []audit.Version{version("", closed)}, func(o *audit.Options) { o.Ranges = folder }, log)
	var told []string
	for _, f := range found {
		list := "no list"
		if f.By != nil {
			list = f.By.List + " of " + f.By.Dated
		}
		told = append(told, fmt.Sprint(f.Target, " ", f.Identity, " ", list))
	}
	expect(t, told, "/private/early verified GPTBot@2026-05-02.txt of 2026-05-02", "/private/early-other not-checkable GPTBot@2026-05-02.txt of 2026-05-02",
		"/private/old verified GPTBot@2026-05-02.txt of 2026-05-02", "/private/old-other impostor GPTBot@2026-05-02.txt of 2026-05-02",
		"/private/new impostor GPTBot@2026-05-03.json of 2026-05-03", "/private/new-other verified GPTBot@2026-05-03.json of 2026-05-03",
		"/private/none not-checkable no list")
	if all := report.Coverage.Lists; len(all) != 2 || all[0].Dated != "2026-05-02" || all[1].Dated != "2026-05-03" {
		t.Errorf("lists: %+v", all)
	}
}

// AU-4: a list that is more than 30 days later verifies nobody, and the report says so.
func TestMuchLaterList(t *testing.T) {
	page := hit{at: "3 10:00:00", agent: "GPTBot", request: "GET /private/", address: "20.1.0.1"}
	for dated, want := range map[string]audit.Identity{"2026-06-02T10:00:00Z": audit.Verified, "2026-06-02T10:00:01Z": audit.NotCheckable} {
		folder := lists(t, map[string]string{"GPTBot.json": `{"creationTime":"` + dated + `","prefixes":[{"ipv4Prefix":"20.1.0.0/24"}]}`})
		report, found := auditOf(t, []audit.Version{version("", closed)}, func(o *audit.Options) { o.Ranges = folder }, linesOf(page))
		if len(found) != 1 || found[0].Identity != want {
			t.Errorf("a list of %s: %+v", dated, found)
		}
		const note = "These lists of addresses are later than requests, and cannot show who sent those: GPTBot.json of 2026-06-02. If you know that a list was valid earlier, write the earlier day into the name of its file, as in GPTBot@2026-01-31.json."
		isLater := want == audit.NotCheckable
		if slices.Contains(report.Coverage.Notes, note) != isLater || (found[0].Reason == "later-list") != isLater {
			t.Errorf("a list of %s: %s; %q", dated, found[0].Reason, report.Coverage.Notes)
		}
	}
}

// AU-5: /robots.txt is never forbidden, and /favicon.ico and /.well-known/ are counted apart.
func TestApart(t *testing.T) {
	log := linesOf(hit{at: "3 10:00:01", agent: "GPTBot", request: "GET /robots.txt"}, hit{at: "3 10:00:02", agent: "GPTBot", request: "GET /favicon.ico"},
		hit{at: "3 10:00:03", agent: "GPTBot", request: "GET /.well-known/security.txt"}, hit{at: "3 10:00:04", agent: "GPTBot", request: "HEAD /robots.txt?x"})
	report, found := auditOf(t, []audit.Version{version("", "User-agent: *\nDisallow: /\n")}, nil, log)
	expect(t, toldOf(found))
	if r := row(t, report, "GPTBot", audit.Verified); r.Apart != 2 || r.Robots != 1 || r.Requests != 4 || r.Verdict != audit.Obeys {
		t.Errorf("apart %d, robots %d, requests %d, %s", r.Apart, r.Robots, r.Requests, r.Verdict)
	}
	// Before the first version nothing is known of pages, but these need no version.
	report, _ = auditOf(t, []audit.Version{version("9 00:00", closed)}, nil, log)
	if r := row(t, report, "GPTBot", audit.Verified); r.Unchecked != 0 || report.Coverage.NoRobots != 0 || r.Verdict != audit.UnknownIfAny {
		t.Errorf("unchecked %d and %d, want none; %s", r.Unchecked, report.Coverage.NoRobots, r.Verdict)
	}
}

// AU-16: a list for a crawler that is not in the table verifies requests that name it.
func TestListOfAnotherCrawler(t *testing.T) {
	folder := lists(t, map[string]string{"MyOwnBot.txt": "20.1.0.0/24\n"})
	log := linesOf(hit{at: "3 10:00:01", agent: "myownbot", request: "GET /private/", address: "20.1.0.1"}, hit{at: "3 10:00:02", agent: "MyOwnBot", request: "GET /private/", address: "20.2.0.1"},
		hit{at: "3 10:00:03", agent: "OtherBot", request: "GET /private/", address: "20.1.0.1"})
	report, found := auditOf(t, []audit.Version{version("", closed)}, func(o *audit.Options) { o.Ranges = folder }, log)
	expect(t, toldOf(found), "/private/ proved", "/private/ not-verified")
	if len(report.Crawlers) != 2 || report.Crawlers[0].Identity != audit.Verified || report.Crawlers[1].Identity != audit.Impostor || report.Crawlers[0].Operator != "" {
		t.Errorf("%+v", report.Crawlers)
	}
}

// AU-5: a sitemap that the version in force names is no violation: the site asks for it.
func TestSitemap(t *testing.T) {
	versions := []audit.Version{version("", "User-agent: *\nDisallow: /\n\nSitemap: https://a.example/map.xml?x\n"), version("3 12:00", "User-agent: *\nDisallow: /\n")}
	report, found := auditOf(t, versions, nil, linesOf(hit{at: "3 10:00", agent: "GPTBot", request: "GET /map.xml?x"}, hit{at: "3 10:01", agent: "GPTBot", request: "GET http://a.example/map.xml?x"},
		hit{at: "3 10:02", agent: "GPTBot", request: "GET /map.xml"}, hit{at: "3 12:01", agent: "GPTBot", request: "GET /map.xml?x"}))
	expect(t, toldOf(found), "/map.xml proved", "/map.xml?x proved")
	if r := row(t, report, "GPTBot", audit.Verified); r.Apart != 2 {
		t.Errorf("apart %d, want 2", r.Apart)
	}
}

// AU-6: fetchers for a user, and rules of "*" for those that do not follow it, have a verdict of their own.
func TestNotBound(t *testing.T) {
	named := "User-agent: AdsBot-Google\nDisallow: /ads\n\n" + closed
	log := linesOf(hit{at: "3 10:00:01", agent: "ChatGPT-User", request: "GET /private/user"}, hit{at: "3 10:00:02", agent: "AdsBot-Google", request: "GET /private/ads"})
	report, found := auditOf(t, []audit.Version{version("", closed)}, nil, log)
	expect(t, toldOf(found), "/private/user not-bound", "/private/ads not-bound")
	for _, name := range []string{"ChatGPT-User", "AdsBot-Google"} {
		if r := row(t, report, name, audit.Verified); r.Verdict != audit.IsNotBound || r.Forbidden != 1 {
			t.Errorf("%s: %s, forbidden %d", name, r.Verdict, r.Forbidden)
		}
	}
	_, found = auditOf(t, []audit.Version{version("", named)}, nil, linesOf(hit{at: "3 10:00:02", agent: "AdsBot-Google", request: "GET /ads"}))
	expect(t, toldOf(found), "/ads proved")
	// A copy whose rules of "*" do not bind it allows the request.
	_, found = auditOf(t, []audit.Version{version("", "User-agent: *\nDisallow: /ads\n"), version("3 09:00", named)}, nil,
		linesOf(hit{at: "3 08:00:01", agent: "AdsBot-Google", request: "GET /robots.txt"}, hit{at: "3 10:00:02", agent: "AdsBot-Google", request: "GET /ads"}))
	expect(t, toldOf(found), "/ads copy-allows")
}

// AU-7: no crawler sends the name Google-Extended.
func TestNameThatNeverCrawls(t *testing.T) {
	report, found := auditOf(t, []audit.Version{version("", closed)}, nil,
		linesOf(hit{at: "3 10:00:01", agent: "Google-Extended", address: "66.2.0.1", request: "GET /private/"}, hit{at: "3 10:00:02", agent: "Applebot-Extended", request: "GET /"}))
	expect(t, toldOf(found), "/private/ not-verified")
	for _, name := range []string{"Google-Extended", "Applebot-Extended"} {
		if r := row(t, report, name, audit.Impostor); r.Verdict != audit.IsImpostor {
			t.Errorf("%s: %s", name, r.Verdict)
		}
	}
}

// AU-8: the target of a redirect is checked by itself, assets are checked like pages, and a POST proves nothing.
func TestEachRequest(t *testing.T) {
	text := closed + "Disallow: /*.css$\n"
	_, found := auditOf(t, []audit.Version{version("", text)}, nil, linesOf(
		hit{at: "3 10:00:01", agent: "GPTBot", request: "GET /old", status: 301}, hit{at: "3 10:00:02", agent: "GPTBot", request: "GET /private/target"},
		hit{at: "3 10:00:03", agent: "GPTBot", request: "GET /private/old", status: 301}, hit{at: "3 10:00:04", agent: "GPTBot", request: "GET /target"},
		hit{at: "3 10:00:05", agent: "GPTBot", request: "GET /style.css"}, hit{at: "3 10:00:06", agent: "GPTBot", request: "POST /private/form"}))
	expect(t, toldOf(found), "/private/target proved", "/private/old proved", "/style.css proved", "/private/form method")
}

// AU-9: paths are checked as they were sent, and the host is that of the line, or of --origin.
func TestPlaces(t *testing.T) {
	one := func(h hit) string { return linesOf(h) }
	for _, test := range []struct{ request, want string }{
		{"GET /private/%2e%2e/x", "/private/%2e%2e/x proved"},
		{"GET /x/../private/", ""},
		{"GET //private/", ""},
		{"GET https://www.a.example/private/?q", "https://www.a.example/private/?q proved"},
		{"GET /PRIVATE/", ""},
	} {
		_, found := auditOf(t, []audit.Version{version("", closed)}, nil, one(hit{at: "3 10:00:01", agent: "GPTBot", request: test.request}))
		if got := strings.Join(toldOf(found), ", "); got != test.want {
			t.Errorf("%s: %q, want %q", test.request, got, test.want)
		}
	}
	var asked []string
	bySite := func(o *audit.Options) {
		o.IsOneSite = false
		o.Versions = func(of origin.Origin) ([]audit.Version, error) {
			asked = append(asked, of.String())
			if of.Host() == "www.a.example" {
				return []audit.Version{version("", closed)}, nil
			}
			return nil, nil
		}
	}
	log := linesOf(hit{at: "3 10:00:01", host: "www.a.example", agent: "GPTBot", request: "GET /private/1"}, hit{at: "3 10:00:02", host: "b.example:80", agent: "GPTBot", request: "GET /private/2"},
		hit{at: "3 10:00:03", host: "b.example", agent: "GPTBot", request: "GET http://www.a.example/private/3"}, hit{at: "3 10:00:04", agent: "GPTBot", request: "GET /private/4"})
	report, found := auditOf(t, nil, bySite, log)
	expect(t, toldOf(found), "/private/1 proved", "http://www.a.example/private/3 proved")
	slices.Sort(asked)
	asked = slices.Compact(asked)
	if !slices.Contains(asked, "https://www.a.example") || !slices.Contains(asked, "http://b.example") {
		t.Errorf("asked for %q", asked)
	}
	if !strings.Contains(strings.Join(report.Coverage.Notes, "\n"), "https is assumed") {
		t.Errorf("https is assumed, and it is not said: %q", report.Coverage.Notes)
	}
	report, found = auditOf(t, nil, func(o *audit.Options) {
		bySite(o)
		o.Origin, _ = origin.Parse("https://www.a.example")
	}, log)
	expect(t, toldOf(found), "/private/1 proved", "http://www.a.example/private/3 proved", "/private/4 proved")
	if report.Coverage.OtherHosts != 1 {
		t.Errorf("%d requests to other hosts", report.Coverage.OtherHosts)
	}
}

// AU-10: zones, lines out of order, gaps and samples.
func TestTimes(t *testing.T) {
	versions := []audit.Version{version("", "User-agent: *\nDisallow:\n"), version("3 12:00", closed)}
	page := hit{at: "4 10:00:01", agent: "GPTBot", request: "GET /private/"}
	whole := linesOf(page)
	_, found := auditOf(t, versions, nil, whole)
	expect(t, toldOf(found), "/private/ proved")
	// The zone of a line counts.
	zone := strings.Replace(hit{at: "3 13:00:01", agent: "GPTBot", request: "GET /private/zone"}.String(), "+0000", "+0200", 1)
	_, found = auditOf(t, versions, nil, whole+zone+"\n")
	expect(t, toldOf(found), "/private/ proved")
	// A retrieval whose line is 14 minutes late is not overlooked, in one log and in two.
	retrieval := hit{at: "4 09:58", agent: "GPTBot", request: "GET /robots.txt", status: 404}
	late := whole + textOf(hit{at: "4 10:12", request: "GET /"}, retrieval)
	_, found = auditOf(t, versions, nil, late)
	expect(t, toldOf(found), "/private/ copy-allows")
	_, found = auditOf(t, versions, nil, whole, textOf(retrieval))
	expect(t, toldOf(found), "/private/ copy-allows")
	// A sample, a gap, and the first day never show that nothing was fetched.
	report, found := auditOf(t, versions, func(o *audit.Options) { o.IsSample = true }, whole)
	expect(t, toldOf(found), "/private/ log-incomplete")
	if r := row(t, report, "GPTBot", audit.Verified); r.Verdict != audit.UnknownIfAny {
		t.Errorf("a sample: %s", r.Verdict)
	}
	var dense []hit
	for at := timeOf("1 00:00"); at.Before(timeOf("4 11:00")); at = at.Add(5 * time.Minute) {
		if at.Before(timeOf("3 12:00")) || at.After(timeOf("3 19:00")) {
			dense = append(dense, hit{at: at.Format("2 15:04"), request: []string{"GET /", "GET /robots.txt"}[len(dense)%2]})
		}
	}
	dense = append(dense, page)
	slices.SortStableFunc(dense, func(a, b hit) int { return timeOf(a.at).Compare(timeOf(b.at)) })
	report, found = auditOf(t, versions, nil, textOf(dense...))
	expect(t, toldOf(found), "/private/ log-incomplete")
	if report.Coverage.GapCount != 1 {
		t.Errorf("%d gaps", report.Coverage.GapCount)
	}
	if notes := strings.Join(report.Coverage.Notes, "\n"); !strings.Contains(notes, "The log has 1 gap from 2026-05-03 11:55 to 2026-05-03 19:05 UTC: ") {
		t.Error(notes)
	}
	// If there is a gap each night, each of them counts.
	var days []hit
	for day := 1; day <= 4; day++ {
		for at := timeOf(fmt.Sprint(day, " 08:00")); at.Before(timeOf(fmt.Sprint(day, " 18:00"))); at = at.Add(10 * time.Minute) {
			days = append(days, hit{at: at.Format("2 15:04"), request: "GET /"})
		}
	}
	if report, _ = auditOf(t, versions, nil, textOf(days...)); report.Coverage.GapCount != 3 {
		t.Errorf("%d gaps in 4 days", report.Coverage.GapCount)
	}
	_, found = auditOf(t, []audit.Version{version("", closed)}, nil, linesOf(hit{at: "1 23:59", agent: "GPTBot", request: "GET /private/"}, hit{at: "2 00:00:01", agent: "GPTBot", request: "GET /private/"}))
	expect(t, toldOf(found), "/private/ log-incomplete", "/private/ proved")
	// A log in which nobody has requested robots.txt, though crawlers of three operators came, may leave these requests out.
	nobody := strings.ReplaceAll(whole, "/robots.txt", "/")
	_, found = auditOf(t, versions, nil, nobody)
	expect(t, toldOf(found), "/private/ proved")
	for n, want := range map[int]string{1: "/private/ proved", 2: "/private/ log-incomplete"} {
		others := []hit{{at: "1 10:00:02", agent: "bingbot", request: "GET /"}, {at: "2 10:00:02", agent: "AhrefsBot", request: "GET /"}}[:n]
		_, found = auditOf(t, versions, nil, nobody, textOf(others...))
		expect(t, toldOf(found), want)
	}
}

// AU-11: it is said if the site may be behind a proxy.
func TestBehindProxy(t *testing.T) {
	log := linesOf(hit{at: "3 10:00:01", agent: "GPTBot", request: "GET /private/", more: ` "1.2.3.4"`})
	report, _ := auditOf(t, []audit.Version{version("", closed)}, nil, log)
	if !strings.Contains(strings.Join(report.Coverage.Notes, "\n"), "X-Forwarded-For") {
		t.Errorf("X-Forwarded-For: %q", report.Coverage.Notes)
	}
	var many []hit
	for at := timeOf("1 00:00"); len(many) < 1200; at = at.Add(time.Minute) {
		many = append(many, hit{at: at.Format("2 15:04"), request: "GET /"})
	}
	report, _ = auditOf(t, []audit.Version{version("", closed)}, nil, textOf(many...))
	if !strings.Contains(strings.Join(report.Coverage.Notes, "\n"), "few addresses") {
		t.Errorf("few addresses: %q", report.Coverage.Notes)
	}
}

// AU-12: X-Forwarded-For is believed only if a trusted proxy sends it, and only its last address that is no proxy.
func TestForwarded(t *testing.T) {
	log := linesOf(
		hit{at: "3 10:00:01", agent: "GPTBot", address: "10.0.0.1", request: "GET /private/proxy", more: ` "20.1.0.1"`},
		hit{at: "3 10:00:02", agent: "GPTBot", address: "45.0.0.1", request: "GET /private/liar", more: ` "20.1.0.1"`},
		hit{at: "3 10:00:03", agent: "GPTBot", address: "10.0.0.1", request: "GET /private/said", more: ` "20.1.0.1, 45.0.0.1"`},
		hit{at: "3 10:00:04", agent: "GPTBot", address: "10.0.0.1", request: "GET /private/two", more: ` "45.0.0.1, 20.1.0.1, 10.0.0.2"`},
		hit{at: "3 10:00:05", agent: "GPTBot", address: "10.0.0.1", request: "GET /private/port", more: ` "45.0.0.1:1, 20.1.0.1:51234, 10.0.0.2:80"`},
		hit{at: "3 10:00:06", agent: "GPTBot", address: "10.0.0.1", request: "GET /private/text", more: ` "20.1.0.1, unknown"`})
	identities := func(change func(*audit.Options)) (all []string) {
		_, found := auditOf(t, []audit.Version{version("", closed)}, change, log)
		for _, f := range found {
			all = append(all, fmt.Sprint(f.Target, " ", f.Identity, " ", f.Address))
		}
		return all
	}
	expect(t, identities(nil), "/private/proxy impostor 10.0.0.1", "/private/liar impostor 45.0.0.1", "/private/said impostor 10.0.0.1", "/private/two impostor 10.0.0.1",
		"/private/port impostor 10.0.0.1", "/private/text impostor 10.0.0.1")
	report, _ := auditOf(t, []audit.Version{version("", closed)}, func(o *audit.Options) { o.Proxies = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")} }, log)
	if !strings.Contains(strings.Join(report.Coverage.Notes, "\n"), "caches /robots.txt") { // AU-11
		t.Errorf("proxies: %q", report.Coverage.Notes)
	}
	expect(t, identities(func(o *audit.Options) { o.Proxies = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")} }),
		"/private/proxy verified 20.1.0.1", "/private/liar impostor 45.0.0.1", "/private/said impostor 45.0.0.1", "/private/two verified 20.1.0.1",
		"/private/port verified 20.1.0.1", "/private/text not-checkable unknown")
}

// AU-14: the same request is found in each format, in files that are compressed, and in streams; what cannot be read is counted.
func TestForms(t *testing.T) {
	bot := facts["GPTBot"].agent
	forms := map[string]string{
		"Combined": hit{at: "3 10:00:01", agent: "GPTBot", request: "GET /private/?q=1"}.String(),
		"host":     hit{at: "3 10:00:01", host: "www.a.example:443", agent: "GPTBot", request: "GET /private/?q=1"}.String(),
		"Caddy":    `{"level":"info","ts":1777802401.5,"logger":"http.log.access","request":{"remote_ip":"20.1.0.1","client_ip":"20.1.0.1","proto":"HTTP/2.0","method":"GET","host":"www.a.example","uri":"/private/?q=1","headers":{"User-Agent":["` + bot + `"]},"tls":{"version":772}},"status":200}`,
		"Logpush":  `{"ClientIP":"20.1.0.1","ClientRequestHost":"www.a.example","ClientRequestMethod":"GET","ClientRequestURI":"/private/?q=1","EdgeResponseStatus":200,"EdgeStartTimestamp":"2026-05-03T10:00:01Z","ClientRequestUserAgent":"` + bot + `"}`,
		"IIS":      "#Software: IIS\n#Fields: date time cs-method cs-uri-stem cs-uri-query c-ip cs(User-Agent) sc-status\n2026-05-03 10:00:01 GET /private/ q=1 20.1.0.1 " + strings.ReplaceAll(bot, " ", "+") + " 200",
		"balancer": `https 2026-05-03T10:00:01.000000Z app/lb/1 20.1.0.1:4711 10.0.0.1:80 0 0 0 200 200 1 2 "GET https://www.a.example:443/private/?q=1 HTTP/2.0" "` + bot + `" - - -`,
	}
	for name, text := range forms {
		for _, isCompressed := range []bool{false, true} {
			log := text + "\n"
			if isCompressed {
				var b bytes.Buffer
				z := gzip.NewWriter(&b)
				if _, err := io.WriteString(z, log); err != nil || z.Close() != nil {
					t.Fatal(err)
				}
				log = b.String()
			}
			for _, isStream := range []bool{false, true} {
				_, found := auditOf(t, []audit.Version{version("", closed)}, func(o *audit.Options) {
					if isStream {
						o.Stdin, o.Logs = strings.NewReader(log), []string{"-"}
					}
				}, log)
				if len(found) != 1 || found[0].Identity != audit.Verified || !strings.HasSuffix(found[0].Target, "/private/?q=1") || !found[0].Time.Truncate(time.Second).Equal(timeOf("3 10:00:01")) || found[0].Status != 200 || !strings.HasPrefix(found[0].UserAgent, "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko;") {
					t.Errorf("%s, compressed %t, stream %t: %+v", name, isCompressed, isStream, found)
				}
			}
		}
	}
	report, found := auditOf(t, []audit.Version{version("", closed)}, nil, linesOf(hit{at: "3 10:00:01", agent: "GPTBot", request: "GET /private/"})+strings.Repeat("no line\n", 5), linesOf(hit{at: "1 01:00", request: "GET /"})+strings.Repeat("no line\n", 5))
	if c := report.Coverage; c.Unreadable != 10 || len(c.Samples) != 3 || len(found) != 1 {
		t.Errorf("unreadable %d, shown %d, found %d", c.Unreadable, len(c.Samples), len(found))
	}
}

// AU-15: gaps that are shorter than the crawl delay, of all addresses of a crawler, are counted and never proved.
func TestDelay(t *testing.T) {
	log := linesOf(
		hit{at: "3 10:00:00", agent: "GPTBot", request: "GET /1"}, hit{at: "3 10:00:05", agent: "GPTBot", address: "20.1.0.9", request: "GET /2"},
		hit{at: "3 10:00:06", agent: "GPTBot", request: "GET /robots.txt"}, hit{at: "3 10:00:07", agent: "GPTBot", request: "GET /favicon.ico"}, hit{at: "3 10:00:06", agent: "ClaudeBot", request: "GET /other"},
		hit{at: "3 10:00:15", agent: "GPTBot", request: "GET /3"}, hit{at: "3 10:00:24", agent: "GPTBot", request: "GET /4"})
	report, found := auditOf(t, []audit.Version{version("", "User-agent: GPTBot\nCrawl-delay: 10\nDisallow:\n")}, nil, log)
	expect(t, toldOf(found))
	r := row(t, report, "GPTBot", audit.Verified)
	if r.Delay == nil || r.Delay.Gaps != 3 || r.Delay.Short != 2 || r.Proved != 0 || r.Verdict != audit.Obeys {
		t.Errorf("%+v, proved %d, %s", r.Delay, r.Proved, r.Verdict)
	}
	if r := row(t, report, "ClaudeBot", audit.Verified); r.Delay != nil {
		t.Errorf("a delay for %s", r.Crawler)
	}
}

// AU-17: the memory is bounded, also with all evidence.
func TestFlat(t *testing.T) {
	portion.Skip(t, 4)
	n := 400_000
	in, out := io.Pipe()
	go func() {
		at := timeOf("1 00:00")
		for i := range n {
			h := hit{at: at.Add(time.Duration(i) * time.Second).Format("2 15:04:05"), agent: "GPTBot", address: fmt.Sprintf("20.1.0.%d", i%250), request: fmt.Sprint("GET /private/", i)}
			if _, err := fmt.Fprintln(out, h); err != nil {
				return
			}
		}
		out.Close()
	}()
	count, most := 0, uint64(0)
	report, _ := auditOf(t, []audit.Version{version("", closed)}, func(o *audit.Options) {
		o.Stdin, o.Logs = in, []string{"-"}
		o.Evidence = func(*audit.Finding) error {
			if count++; count%20_000 == 0 {
				var m runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&m)
				most = max(most, m.HeapAlloc)
			}
			return nil
		}
	})
	r := row(t, report, "GPTBot", audit.Verified)
	if count != n || r.Forbidden != int64(n) || len(r.Telling) > 3 {
		t.Errorf("evidence %d, forbidden %d, examples %d", count, r.Forbidden, len(r.Telling))
	}
	if most > 40<<20 {
		t.Errorf("%d MiB of memory", most>>20)
	}
}

// TestDoubt (AU-2, AU-3, AU-10): what the log does not show is never held against a crawler.
func TestDoubt(t *testing.T) {
	const free = "User-agent: *\nDisallow:\n"
	fetch := func(at string, status int) hit {
		return hit{at: at, agent: "GPTBot", request: "GET /robots.txt", status: status}
	}
	page := func(at string) hit { return hit{at: at, agent: "GPTBot", request: "GET /private/"} }
	atHost := func(h hit, host string) hit { h.host = host; return h }
	beforeLog := func(d time.Duration) audit.Version {
		return audit.Version{Since: timeOf("1 00:00").Add(-d), Text: closed}
	}
	closing := []audit.Version{version("", free), version("3 09:00", closed)}
	opened := []audit.Version{version("", closed), version("3 09:00", free), version("3 11:00", closed)} // for two hours
	sample := func(o *audit.Options) { o.IsSample = true }
	silent := func(from, to string, hits ...hit) string { // a line each 5 minutes, but none from one time to another
		all := hits
		for at := timeOf("1 00:00"); at.Before(timeOf("4 00:00")); at = at.Add(5 * time.Minute) {
			if at.Before(timeOf(from)) || at.After(timeOf(to)) {
				all = append(all, hit{at: at.Format("2 15:04"), request: []string{"GET /", "GET /robots.txt"}[len(all)%2]})
			}
		}
		slices.SortStableFunc(all, func(a, b hit) int { return timeOf(a.at).Compare(timeOf(b.at)) })
		return textOf(all...)
	}
	later := func(o *audit.Options) {
		o.Ranges = lists(t, map[string]string{"GPTBot@2026-05-03T09:30:00Z.txt": "20.1.0.0/24\n"})
	}
	for _, test := range []struct {
		name     string
		versions []audit.Version
		change   func(*audit.Options)
		log      string
		want     string
	}{
		{"500, and the copy may be from before the log, when there was another version", []audit.Version{version("", free), beforeLog(time.Hour)}, nil,
			linesOf(fetch("1 05:00", 503), page("1 06:00")), "copy-unknown"},
		{"the same, and the other version is too old", []audit.Version{version("", free), beforeLog(31 * 24 * time.Hour)}, nil, linesOf(fetch("1 05:00", 503), page("1 06:00")), "proved"},
		{"500 two days ago, with a copy that allows", closing, nil, linesOf(fetch("2 09:00", 200), fetch("3 10:00", 503), page("5 10:00")), "copy-allows"},
		{"500 for more than 30 days", []audit.Version{version("", closed)}, nil, linesOf(fetch("1 01:00", 200), fetch("1 05:00", 503), fetch("31 22:00", 500), page("31 23:00")), "copy-allows"},
		{"a sample may lack the retrieval of a version between", opened, sample, linesOf(fetch("3 08:00", 200), page("3 12:00")), "log-incomplete"},
		{"a sample, and nothing was changed", opened, sample, linesOf(fetch("3 11:30", 200), page("3 12:00")), "proved"},
		{"the whole log", opened, nil, linesOf(fetch("3 08:00", 200), page("3 12:00")), "proved"},
		{"a gap after the retrieval", opened, nil, silent("3 08:30", "3 16:30", fetch("3 08:00", 200), page("3 18:00")), "log-incomplete"},
		{"a gap before the retrieval", opened, nil, silent("3 00:30", "3 07:30", fetch("3 12:00", 200), page("3 18:00")), "proved"},
		{"a gap, and then 500", opened, nil, silent("3 08:30", "3 16:30", fetch("3 08:00", 200), fetch("3 17:00", 500), page("3 18:00")), "copy-unknown"},
		{"a gap, and then 304", opened, nil, silent("3 08:30", "3 16:30", fetch("3 08:00", 200), fetch("3 17:00", 304), page("3 18:00")), "copy-unknown"},
		{"days without a line, of a log with few", closing, nil, textOf(hit{at: "1 00:00", request: "GET /"}, hit{at: "5 12:00", request: "GET /robots.txt"}, page("5 12:01")), "log-incomplete"},
		{"another host of the site has the newer version", closing, nil,
			linesOf(atHost(fetch("3 08:00", 200), "b.example"), atHost(fetch("3 10:00", 200), "www.a.example"), atHost(page("3 11:00"), "b.example")), "copy-allows"},
		{"another host of the site has the older version", closing, nil,
			linesOf(atHost(fetch("3 10:00", 200), "b.example"), atHost(fetch("3 10:30", 404), "www.a.example"), atHost(page("3 11:00"), "b.example")), "copy-allows"},
		{"/robots.txt with a query is another URL", closing, nil, linesOf(fetch("3 08:00", 200), hit{at: "3 10:00", agent: "GPTBot", request: "GET /robots.txt?x"}, page("3 11:00")), "copy-allows"},
		{"fetched from an address that is in no list yet", closing, later,
			linesOf(hit{at: "3 08:00", agent: "GPTBot", address: "20.1.7.7", request: "GET /robots.txt"}, page("3 11:00")), "copy-allows"},
		{"in the second of the request, and its line is the later one", closing, nil, linesOf(page("3 11:00:07"), fetch("3 11:00:07", 404)), "copy-allows"},
		{"a User-Agent that is only like the crawler's", closing, nil,
			strings.ReplaceAll(linesOf(page("4 11:00")), "compatible; GPTBot/1.2; +https://openai.com/gptbot", "compatible; archiver; like GPTBot/1.2"), ""},
	} {
		_, found := auditOf(t, test.versions, test.change, test.log)
		if got := strings.TrimPrefix(strings.Join(toldOf(found), ", "), "/private/ "); got != test.want {
			t.Errorf("%s: %q, want %s", test.name, got, test.want)
		}
	}
}

// TestBrokenLog (AU-10): of a log that cannot be read to its end it is not known what else there was.
func TestBrokenLog(t *testing.T) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := io.WriteString(z, linesOf(hit{at: "3 11:00", agent: "GPTBot", request: "GET /private/"})); err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	whole := b.String()
	rest := textOf(hit{at: "3 11:30", agent: "GPTBot", request: "GET /private/"})
	report, found := auditOf(t, []audit.Version{version("", closed)}, nil, whole[:len(whole)-9], rest)
	if len(report.Coverage.Broken) != 1 {
		t.Fatalf("broken: %q", report.Coverage.Broken)
	}
	for _, told := range toldOf(found) {
		if strings.Contains(told, "proved") {
			t.Errorf("told %q", told)
		}
	}
}

// TestNamesStay: the names of crawlers that are not in the table are parts of lines, of which the memory is used again.
func TestNamesStay(t *testing.T) {
	var logs []string
	for i := range 8 {
		var hits []hit
		for j := range 200 {
			hits = append(hits, hit{at: timeOf(fmt.Sprint(1+i, " 00:01")).Add(time.Duration(j) * time.Minute).Format("2 15:04"), request: "GET /" + strings.Repeat("a", j)})
			if j == 5*i {
				hits = append(hits, hit{at: fmt.Sprintf("%d 00:%02d:30", 1+i, 1+j), agent: fmt.Sprintf("HomeMadeBot%s/1.0", strings.Repeat("x", i)), request: "GET /private/"})
			}
		}
		logs = append(logs, textOf(hits...))
	}
	versions := []audit.Version{version("", "User-agent: HomeMadeBot\nUser-agent: HomeMadeBotx\nUser-agent: HomeMadeBotxxxx\nDisallow: /private/\n")}
	for range 5 {
		report, found := auditOf(t, versions, func(o *audit.Options) { o.Workers = 1 }, logs...)
		for _, name := range []string{"HomeMadeBot", "HomeMadeBotx", "HomeMadeBotxxxx"} {
			row(t, report, name, audit.NotCheckable)
		}
		if len(found) != 3 || len(report.Crawlers) != 3 {
			t.Errorf("found %d, crawlers %d", len(found), len(report.Crawlers))
		}
	}
}

// AU-9: if a host served the same over http and https, what a crawler fetched from one counts for the other.
func TestBothSchemes(t *testing.T) {
	free, other := version("", "User-agent: *\nDisallow:\n"), version("", "User-agent: *\nDisallow: /x\n")
	for name, c := range map[string]struct {
		http []audit.Version
		want string
	}{
		"the same":     {[]audit.Version{free, version("3 12:00", closed)}, "/private/ copy-allows"},
		"not the same": {[]audit.Version{other, version("3 12:00", closed)}, "/private/ proved"},
	} {
		_, found := auditOf(t, nil, func(o *audit.Options) {
			o.IsOneSite = false
			o.Versions = func(of origin.Origin) ([]audit.Version, error) {
				if of.Scheme() == "https" {
					return []audit.Version{free, version("3 12:00", closed)}, nil
				}
				return c.http, nil
			}
		}, linesOf(hit{at: "3 11:00", agent: "GPTBot", request: "GET /robots.txt", host: "a.example:443"}, hit{at: "3 13:00", agent: "GPTBot", request: "GET /private/", host: "a.example:80"}))
		if !slices.Equal(toldOf(found), []string{c.want}) {
			t.Errorf("%s: %q, want %s", name, toldOf(found), c.want)
		}
	}
}
