package lint

// verdictRules are about what the rules mean for crawlers.
var verdictRules = []Rule{}
