package lint

// patternRules are about the patterns of rules.
var patternRules = []Rule{}
