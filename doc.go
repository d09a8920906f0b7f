// Package engram is the domain: what a memory, a session, a prompt, a project
// and a workspace are, the rules that hold for them wherever they are stored,
// and the kinds of error. It uses the standard library only and does no I/O:
// how things are kept is store's affair, who may do what is policy's, and what
// happens in which order is service's.
package engram
