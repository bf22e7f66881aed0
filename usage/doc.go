// Package usage decides what a site wants its pages to be used for: to train AI models, for search, or as input of
// AI models. Seven carriers say so, in a robots.txt and beside it; package robotstxt decides their paths and groups.
//
//	file := robotstxt.Parse(body, robotstxt.RFC9309)
//	policy := usage.New(file, usage.Options{}, "ExampleBot")
//	crawl := file.Agent("ExampleBot").Check(url)
//	answer := policy.Check(url, crawl.Allowed, usage.ReadResponse(response.Header, html))
//	if answer[usage.TrainAI] == usage.Disallowed { … }
//
// A preference is allowed, disallowed or unknown, and no default is invented: who asks decides what unknown means. A
// page that may not be crawled has no preference. Check is for many URLs; Explain has the evidence of one answer.
//
// No document about this has consensus yet, so labels, tokens and mappings are tables with their sources: see
// [Carriers], [Labels], [Tokens] and [Profiles]. The ids such as AI-5 in comments and tests are those of
// docs/requirements.md. The package does no I/O. Everything is safe for concurrent use.
package usage
