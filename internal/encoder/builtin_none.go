//go:build noencoder

package encoder

const modelFile = ""
