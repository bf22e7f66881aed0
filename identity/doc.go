// Package identity lets a crawler prove who it is: it signs requests (Web Bot Auth), and serves the directory of keys with
// which others verify them.
//
//	key, err := identity.ReadKey("bot.key")
//	id := &identity.Identity{Agent: "https://bot.example", Key: key}
//	crawler := heed.Crawler{UserAgent: "ExampleBot/1.0 (+https://bot.example/)", Identity: id}
//	http.Handle(identity.DirectoryPath, &identity.Directory{Agent: id.Agent, Keys: []*identity.Key{key}})
//
// The protocol is draft-ietf-webbotauth-httpsig-protocol-01 over RFC 9421 (HTTP message signatures). It is no RFC yet, so what
// may change is in this package alone. Package identity signs; it does not verify the signatures of others.
package identity
