package lint

// wholeRules are about the file as a whole.
var wholeRules = []Rule{}
