package servecmd

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/heed-robots/heed/cmd/heed/internal/gate"
	"github.com/heed-robots/heed/cmd/heed/internal/server"
	"github.com/heed-robots/heed/cmd/heed/internal/sites"
	"github.com/heed-robots/heed/identity"
	"github.com/heed-robots/heed/robotstxt"
)

type identityFlags struct {
	keys, unsigned []string
	agent          string
	until          time.Time
}

func (i *identityFlags) flags(c *cobra.Command) {
	f := c.Flags()
	f.StringArrayVar(&i.keys, "identity", nil, "sign the retrievals, and the requests of POST /v1/sign, with the private key in this `FILE`; may be repeated: only the first key signs, all keys are in the directory")
	sites.IdentityUntilFlag(c, "identity-until", &i.until)
	f.StringVar(&i.agent, "identity-agent", "", "`ORIGIN` at which the directory of the public keys is served, such as https://bot.example")
	f.StringArrayVar(&i.unsigned, "unsigned-host", nil, "send no signature to this host, such as example.com or '*.example.com'; may be repeated")
}

// Without --identity, newSigning returns nil, and the server signs nothing.
func (i *identityFlags) newSigning(userAgent string) (*server.Signing, error) {
	switch {
	case len(i.keys) == 0 && (i.agent != "" || !i.until.IsZero() || len(i.unsigned) > 0):
		return nil, errors.New("--identity-agent, --identity-until and --unsigned-host have no effect without a key: add --identity FILE, or leave them out")
	case len(i.keys) == 0:
		return nil, nil
	case i.agent == "":
		return nil, errors.New("--identity also needs --identity-agent URL, the origin that serves the directory of your public keys, such as https://bot.example")
	}
	token, ok := robotstxt.ProductToken(userAgent)
	if !ok {
		return nil, errors.New("--identity also needs --user-agent, a header with the product token of the crawler that signs, such as 'ExampleBot/1.0 (+https://bot.example/)'")
	}
	keys, err := sites.ReadKeys(i.keys, i.until)
	if err != nil {
		return nil, fmt.Errorf("--identity %w", err)
	}
	s := &server.Signing{Identity: &identity.Identity{Agent: i.agent, Key: keys[0]}, Directory: &identity.Directory{Agent: i.agent, Keys: keys}, UserAgent: userAgent, Token: token}
	if len(i.unsigned) > 0 {
		refuses, err := gate.HostPolicy(nil, i.unsigned)
		if err != nil {
			return nil, fmt.Errorf("--unsigned-host %w", err)
		}
		s.Identity.Excludes = func(host string) bool { return refuses(host) != nil }
	}
	return s, s.Identity.Check()
}
