package identity

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/heed-robots/heed/robotstxt"
)

// A Card says who operates a crawler, and what it does (SG-5). URL, Name, Contacts, Agent and UserAgent must be set.
type Card struct {
	URL       string   // the address of the card, which also identifies the crawler
	Name      string   // the name of the crawler
	Contacts  []string // URLs of contacts, such as mailto:bot@example.com
	Agent     string   // the origin that serves the directory of keys, see Identity.Agent
	UserAgent string   // the User-Agent header that the crawler sends
	Trigger   Trigger  // what causes the requests; "" means that the card does not say it
	Purpose   string   // what the crawler is for, such as "search"; "" means that the card does not say it
	Addresses string   // URL of a list of the IP addresses of the crawler; "" if there is no list

	// If Complies is true, the card says that the crawler obeys RFC 9309. If it is false, the card says nothing
	// about this. Set Complies only if the program enforces the rules. heed.Crawler.Card sets it.
	Complies bool
}

// A Trigger says what causes the requests of a crawler.
type Trigger string

const (
	ByCrawler Trigger = "crawler" // the crawler itself decides to make the requests
	ByUser    Trigger = "fetcher" // a user of the crawler asks for each request
)

type cardJSON struct {
	ID       string   `json:"client_id"`
	Name     string   `json:"client_name"`
	Contacts []string `json:"contacts"`
	Keys     string   `json:"jwks_uri"`
	Bot      botJSON  `json:"web_bot_auth"`
}

type botJSON struct {
	UserAgent string  `json:"expected-user-agent"`
	Token     string  `json:"rfc9309-product-token"`
	Complies  bool    `json:"rfc9309-compliance,omitempty"`
	Trigger   Trigger `json:"trigger,omitempty"`
	Purpose   string  `json:"purpose,omitempty"`
	Addresses string  `json:"ips_uri,omitempty"`
}

// JSON returns the text of the card in JSON. The product token in the card is the product token of UserAgent.
func (c *Card) JSON() ([]byte, error) {
	token, hasToken := robotstxt.ProductToken(c.UserAgent)
	switch {
	case !isHTTPS(c.URL):
		return nil, fmt.Errorf("identity: the URL of the card is %q; expected an https URL, such as https://bot.example/card.json", c.URL)
	case strings.TrimSpace(c.Name) == "":
		return nil, errors.New("identity: the card has no name: expected the name of the crawler")
	case len(c.Contacts) == 0 || slices.ContainsFunc(c.Contacts, isNoURL):
		return nil, fmt.Errorf("identity: the contacts of the card are %q; expected one or more URLs, such as mailto:bot@example.com", c.Contacts)
	case !hasToken:
		return nil, fmt.Errorf("identity: the User-Agent of the card is %q; expected a header with a product token, such as ExampleBot/1.0 (+https://bot.example/)", c.UserAgent)
	case c.Trigger != "" && c.Trigger != ByCrawler && c.Trigger != ByUser:
		return nil, fmt.Errorf("identity: the trigger of the card is %q; expected %s or %s", c.Trigger, ByCrawler, ByUser)
	case c.Addresses != "" && !isHTTPS(c.Addresses):
		return nil, fmt.Errorf("identity: the card has %q as the URL of the crawler's list of IP addresses; expected an https URL", c.Addresses)
	}
	agent, err := agentOf(c.Agent)
	if err != nil {
		return nil, err
	}
	text, err := json.MarshalIndent(cardJSON{c.URL, c.Name, c.Contacts, agent.String() + DirectoryPath,
		botJSON{c.UserAgent, token, c.Complies, c.Trigger, c.Purpose, c.Addresses}}, "", "  ")
	return append(text, '\n'), err
}

func isHTTPS(text string) bool {
	u, err := url.Parse(text)
	return err == nil && u.Scheme == "https" && u.Host != ""
}

func isNoURL(text string) bool {
	u, err := url.Parse(text)
	return err != nil || u.Scheme == "" || u.Opaque == "" && u.Host == ""
}
