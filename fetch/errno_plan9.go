package fetch

// localErrors is empty: Plan 9 has no error numbers.
var localErrors []error
