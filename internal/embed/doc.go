// Package embed turns texts into vectors. It owns the built-in embedder, which
// is one table of a row per token: its WordPiece tokenizer, the sum of rows that
// is the vector of a text, and the tokens that mean nearly the same, by which recall
// matches softly. It also says what any other embedder must do, and has one that
// asks a server, Endpoint, which trusts no answer unseen.
//
// Nothing of the built-in one is decoded or copied at the start: the rows are read where the
// binary has them, so that only the pages of rows in use are ever loaded. Sums
// are of integers, so a text has the same vector on every platform.
//
// Where vectors are kept and how the nearest are found is package vector's
// affair, how far a cosine is to be trusted recall's.
package embed
