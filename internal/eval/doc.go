// Package eval measures: how well the product's own write and recall path
// finds things on public sets, and how fast it is. It owns the form of the
// sets, the metrics and the reports. It leaves opening a store to its caller
// (a factory gives it a service over a fresh one) and ranking to recall.
package eval
