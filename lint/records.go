package lint

// recordRules are about records such as Sitemap and Crawl-delay.
var recordRules = []Rule{}
