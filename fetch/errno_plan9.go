package fetch

// ourErrors: Plan 9 has no numbers to tell them by.
var ourErrors []error
