// Package encoder runs a small transformer, all-MiniLM-L6-v2 with weights of 8 bits,
// in the process: no cgo, no second process, no network. It owns the file format of the
// weights, the forward pass with its kernels for each kind of processor, and the way
// from a text to vectors: tokens, passages, batches.
//
// The weights are read where the binary has them; nothing but some 300 KB of biases
// and scales is copied. A text's vector does not depend on what else is in a batch.
// All vector tiers of one architecture give the same bits; plain Go rounds differently, so
// vectors are compared by cosine, never by hash.
//
// How texts become tokens is package embed's affair, one tokenizer for both models;
// what vectors are used for is recall's.
package encoder
