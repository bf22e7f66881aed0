package identity

import (
	"strings"
	"testing"
)

// SG-5: a card has the members of the draft, and says only what is known.
func TestCard(t *testing.T) {
	c := Card{
		URL: "https://bot.example/card.json", Name: "Example Bot", Contacts: []string{"mailto:bot@example.com"}, Agent: "https://bot.example/",
		UserAgent: "ExampleBot/1.0 (+https://bot.example/)",
	}
	text, err := c.JSON()
	if want := `{
  "client_id": "https://bot.example/card.json",
  "client_name": "Example Bot",
  "contacts": [
    "mailto:bot@example.com"
  ],
  "jwks_uri": "https://bot.example/.well-known/http-message-signatures-directory",
  "web_bot_auth": {
    "expected-user-agent": "ExampleBot/1.0 (+https://bot.example/)",
    "rfc9309-product-token": "ExampleBot"
  }
}
`; err != nil || string(text) != want {
		t.Errorf("%v\n%s", err, text)
	}
	full := c
	full.Complies, full.Trigger, full.Purpose, full.Addresses = true, ByUser, "search", "https://bot.example/ips.json"
	text, err = full.JSON()
	if err != nil || !strings.Contains(string(text), `"rfc9309-compliance": true,
    "trigger": "fetcher",
    "purpose": "search",
    "ips_uri": "https://bot.example/ips.json"`) {
		t.Errorf("%v\n%s", err, text)
	}
	for want, change := range map[string]func(*Card){
		"URL of the card":      func(c *Card) { c.URL = "http://bot.example/card.json" },
		"no name":              func(c *Card) { c.Name = " " },
		"the contacts":         func(c *Card) { c.Contacts = nil },
		`"bot@example.com"`:    func(c *Card) { c.Contacts = []string{"bot@example.com"} },
		"Agent":                func(c *Card) { c.Agent = "bot.example" },
		"User-Agent":           func(c *Card) { c.UserAgent = "1" },
		"the trigger":          func(c *Card) { c.Trigger = "me" },
		"list of IP addresses": func(c *Card) { c.Addresses = "ips.json" },
	} {
		wrong := c
		change(&wrong)
		if text, err := wrong.JSON(); text != nil || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %s, %v", want, text, err)
		}
	}
}
