// Package identitycmd has the command "heed identity".
package identitycmd

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/heed-robots/heed/cmd/heed/internal/flags"
	"github.com/heed-robots/heed/cmd/heed/internal/sites"
	"github.com/heed-robots/heed/cmd/heed/internal/term"
	"github.com/heed-robots/heed/identity"
)

func Command(a *term.Terminal) *cobra.Command {
	c := &cobra.Command{
		Use:   "identity",
		Short: "Make the key, the directory and the card with which a crawler proves who it is",
		Long: `Make what a crawler needs to sign its requests (Web Bot Auth): a private key, the
directory with the public key, and a card that says who operates the crawler. A program
that uses heed.Crawler signs if it sets the field Identity; heed serve signs with
--identity.

The directory must be served at https://HOST` + identity.DirectoryPath + `,
and its response must be signed too: heed serve --identity and identity.Directory of
the Go library do that. HOST is the host that the requests name in the header
Signature-Agent. heed does not verify signatures.`,
		Example: `  heed identity new bot.key
  heed identity directory bot.key
  heed identity card --url https://bot.example/card.json --name "Example Bot" --contact mailto:bot@example.com --agent https://bot.example --user-agent "ExampleBot/1.0"`,
	}
	c.AddCommand(newCommand(a), directoryCommand(a), cardCommand(a))
	return c
}

func newCommand(a *term.Terminal) *cobra.Command {
	return &cobra.Command{
		Use:   "new FILE",
		Short: "Make a private key, in a new file that only you may read",
		Long: `Make an Ed25519 private key in a new file of mode 0600, in the form PKCS 8, and print
its id, which is the keyid of its signatures. heed never prints the key itself, and
never replaces a file.

To change the key, make a second key and serve both in the directory. After an hour, sign
with the new key, and set the time until which the old key is served: --until of
heed identity directory, or --identity-until of heed serve.`,
		Example: `  heed identity new bot.key`,
		Args:    oneFile,
		RunE: func(_ *cobra.Command, args []string) error {
			k, err := identity.NewKey()
			if err == nil {
				err = identity.WriteKey(args[0], k)
			}
			if err != nil {
				return err
			}
			fmt.Fprintln(a.Out, k.ID())
			return nil
		},
	}
}

func oneFile(_ *cobra.Command, args []string) error {
	if len(args) != 1 {
		return errors.New("expected one argument, the name of a file, such as bot.key")
	}
	return nil
}

func directoryCommand(a *term.Terminal) *cobra.Command {
	var until time.Time
	c := &cobra.Command{
		Use:   "directory KEY…",
		Short: "Print the directory of the public keys",
		Long: `Print the directory with the public parts of private keys: a JWK set. A server that
serves the directory as a file must also sign the response. It is easier to let heed
serve --identity or identity.Directory serve and sign it.`,
		Example: `  heed identity directory new.key
  heed identity directory new.key old.key --until 2026-12-01`,
		RunE: func(_ *cobra.Command, files []string) error {
			if len(files) == 0 {
				return errors.New(`no file is given: name one or more files with private keys, such as bot.key; "heed identity new" makes such a file`)
			}
			keys, err := sites.ReadKeys(files, until)
			if err != nil {
				return err
			}
			text, err := (&identity.Directory{Keys: keys}).JSON()
			if err != nil {
				return err
			}
			a.Out.Write(text)
			return nil
		},
	}
	sites.IdentityUntilFlag(c, "until", &until)
	return c
}

func cardCommand(a *term.Terminal) *cobra.Command {
	var card identity.Card
	c := &cobra.Command{
		Use:   "card",
		Short: "Print the card that says who operates a crawler",
		Long: `Print the card of a crawler, which you then serve at --url. The card has the
product token of the User-Agent. It does not say that the crawler obeys robots.txt: only
a program that enforces this can say so, such as one that uses heed.Crawler and its
method Card.`,
		Example: `  heed identity card --url https://bot.example/card.json --name "Example Bot" --contact mailto:bot@example.com --agent https://bot.example --user-agent "ExampleBot/1.0" > card.json`,
		Args:    flags.NoArguments,
		RunE: func(*cobra.Command, []string) error {
			text, err := card.JSON()
			if err != nil {
				return err
			}
			a.Out.Write(text)
			return nil
		},
	}
	f := c.Flags()
	f.StringVar(&card.URL, "url", "", "`URL` of the card, of https")
	f.StringVar(&card.Name, "name", "", "`NAME` of the crawler")
	f.StringArrayVar(&card.Contacts, "contact", nil, "`URL` for questions, such as mailto:bot@example.com; may be repeated")
	f.StringVar(&card.Agent, "agent", "", "`ORIGIN` of the directory of keys, such as https://bot.example")
	f.StringVar(&card.UserAgent, "user-agent", "", "User-Agent `HEADER` of the crawler's requests")
	f.StringVar((*string)(&card.Trigger), "trigger", "", "`WHAT` the program is: crawler, or fetcher if it fetches only pages that a user asks for")
	flags.Complete(c, "trigger", []string{string(identity.ByCrawler), string(identity.ByUser)})
	f.StringVar(&card.Purpose, "purpose", "", "`WORDS` for what the crawler is for, such as search")
	f.StringVar(&card.Addresses, "addresses", "", "`URL` of the list of the crawler's addresses")
	return c
}
