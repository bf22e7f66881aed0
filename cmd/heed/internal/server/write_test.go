package server

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// The robots.txt that a policy means, and its proof. Expectations are tested.
func TestWrite(t *testing.T) {
	daemon := start(t, &Server{})
	status, answer := ask(t, "POST", daemon+"/v1/write", body(t, map[string]any{"policy": "everyone: disallow /cart\nmonitor: disallow\nexpect: disallow @UptimeRobot /\nZzyzx: allow\n"}))
	if status != 200 || answer["decision"] == nil {
		t.Fatalf("%d %v", status, answer)
	}
	expect(t, answer, map[string]any{
		"policy": "robots.policy", "proof.result": "equal", "proof.dialects.0": "rfc9309", "proof.dialects.1": "google", "cases": 1.0, "provenance": nil,
		"groups.0.sections.0.for": "monitor", "groups.0.closed": true, "groups.0.sections.0.crawlers.0": "BetterUptimeBot", "groups.1.sections.0.for": "everyone",
		"notes.0": `robots.policy:4: "Zzyzx" is not a known crawler`,
	})
	if robots := answer["robots"].(string); !strings.HasSuffix(robots, "User-agent: W3C_Validator\nDisallow: /\n\nUser-agent: *\nDisallow: /cart\n") {
		t.Error(robots)
	}
}

func TestWriteErrors(t *testing.T) {
	daemon := start(t, &Server{})
	for question, want := range map[string]string{
		`{}`:                                     `400 "policy" is missing; expected a policy as text, such as "ai-training: disallow"`,
		`{"policy":"foo\neveryone: disallow x"}`: "400 robots.policy:1: \"foo\": expected a line that begins with a name and a colon, such as \"everyone: disallow /cart\" or \"ai-training: disallow\"\nrobots.policy:2: \"x\": a path begins with \"/\" or \"*\"; did you mean \"/x\"?",
		`{"policy":"seo: disallow\nexpect: allow @botify /x"}`:           "400 robots.policy: nothing is written: 1 of 1 expectations fails:\nrobots.policy:2: the expectation failed for @botify: /x is actually disallowed by the robots.txt, line 29: Disallow: /",
		`{"policy":"carriers: purpose-token\neveryone: usage search=n"}`: "400 robots.policy: nothing is written: the carriers of this policy (purpose-token) cannot say search=n for the path /: add content-usage to the line \"carriers\" of the policy, or, if different crawlers have different preferences, remove purpose-token from this line",
	} {
		status, answer := ask(t, "POST", daemon+"/v1/write", question)
		if got := fmt.Sprint(status, " ", answer["error"]); got != want {
			t.Errorf("%s: %s, want %s", question, got, want)
		}
	}
}

// The policy that a robots.txt means: of one in the question, or of a site. One that is unreachable, or not there, has none.
func TestPolicyOf(t *testing.T) {
	daemon := start(t, &Server{})
	const robots = "User-agent: *\nDisallow: /a\n\nUser-agent: bingbot\nDisallow: /a\nDisallow: /b\n"
	_, answer := ask(t, "POST", daemon+"/v1/policy", body(t, map[string]any{"robots": robots}))
	want := map[string]any{
		"policy": "# Made by \"heed write --from\" of robots.txt.\n\neveryone: disallow /a\nbingbot: disallow /b\n", "rules": 2.0, "rule_lines": 3.0, "proof.result": "equal",
	}
	expect(t, answer, want)
	shop := site(t, robots)
	_, answer = ask(t, "POST", daemon+"/v1/policy", body(t, map[string]any{"url": shop + "/cart"}))
	want["policy"] = strings.Replace(want["policy"].(string), "of robots.txt.", "of "+shop+"/robots.txt.", 1)
	want["provenance.origin"] = shop
	expect(t, answer, want)
	gone := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(gone.Close)
	for question, want := range map[string]string{
		`{}`:                            `400 expected one of "robots", "robots_b64" and "url"`,
		`{"url":"` + gone.URL + `"}`:    "422 the robots.txt is missing, or cannot be fetched: robots.txt is unavailable",
		`{"url":"` + refusing(t) + `"}`: "422 ",
	} {
		status, answer := ask(t, "POST", daemon+"/v1/policy", question)
		if got := fmt.Sprint(status, " ", answer["error"]); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s, want %s", question, got, want)
		}
	}
}
