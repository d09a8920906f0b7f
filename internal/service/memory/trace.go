package memory

import "engram/internal/recall"

// Trace explains a search: what the query was taken for, what each arm found,
// and why each candidate stands where it does.
type Trace = recall.Trace
