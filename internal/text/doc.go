// Package text turns texts and queries into what recall compares: index terms,
// query words, phrases, and the window of time that a query means. It owns how
// words are cut, folded and stemmed, what an identifier is, which words count for
// nothing, and what is cut out of a text before it is kept (private parts and
// secrets). Both sides of a search go through it, so a term of a query is
// spelled as the term of a text. It is pure: no I/O, no clock, nothing stored.
// How terms are looked up is the engines' affair, how they are weighed recall's.
package text
