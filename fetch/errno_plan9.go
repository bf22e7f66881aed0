package fetch

// ourErrors is empty: Plan 9 has no error numbers.
var ourErrors []error
