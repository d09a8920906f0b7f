// Package recall ranks: it turns a query into terms and a time window, fuses
// what the arms found, reranks, refuses below a floor, and packs into a token
// budget, with a trace of every choice. It is pure: no I/O, no clock. Drawing
// candidates is the store's affair, fetching texts the service's.
package recall
