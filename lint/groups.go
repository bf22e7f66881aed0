package lint

// groupRules are about User-agent lines and groups.
var groupRules = []Rule{}
