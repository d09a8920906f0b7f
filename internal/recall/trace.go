package recall

// Trace explains a search. (Its fields are recall's own affair.)
type Trace struct{}
