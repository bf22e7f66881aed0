// Package identity lets a crawler prove who it is (Web Bot Auth). It signs requests, and serves the directory of keys with
// which servers verify the signatures.
//
//	key, err := identity.ReadKey("bot.key")
//	id := &identity.Identity{Agent: "https://bot.example", Key: key}
//	crawler := heed.Crawler{UserAgent: "ExampleBot/1.0 (+https://bot.example/)", Identity: id}
//	http.Handle(identity.DirectoryPath, &identity.Directory{Agent: id.Agent, Keys: []*identity.Key{key}})
//
// The protocol is draft-ietf-webbotauth-httpsig-protocol-01, based on RFC 9421 (HTTP message signatures). It is not an RFC
// yet, and may change. The package does not verify signatures.
package identity
