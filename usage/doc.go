// Package usage decides what a site wants its pages to be used for: to train AI models, for search, or as input of AI
// models. A site can say this in seven ways, called carriers: in robots.txt, headers, pages or tdmrep.json.
//
//	file := robotstxt.Parse(body, robotstxt.RFC9309)
//	policy := usage.New(file, usage.Options{}, "ExampleBot")
//	crawl := file.Agent("ExampleBot").Check(url)
//	answer := policy.Check(url, crawl.Allowed, usage.ReadResponse(response.Header, html))
//	if answer[usage.TrainAI] == usage.Disallowed { … }
//
// A preference is allowed, disallowed or unknown. The caller decides what unknown means. A page that robots.txt disallows
// has no preference. Policy.Check is fast; Policy.Explain also returns the evidence.
//
// The documents about this are not final. So labels, tokens and mappings are tables with their sources: see [Carriers],
// [Labels], [Tokens] and [Profiles].
//
// docs/requirements.md explains ids such as AI-5. The package does no I/O. Everything is safe for concurrent use.
package usage
