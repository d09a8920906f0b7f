package main

import "engram/internal/encoder"

// damp is what each channel of the hidden state is divided by before it gets codes. In all layers these are
// several times as large as the rest, 99 over ten times; found by measuring, and the divisors by trying five
// sets on the documents of this repository. The mean cosine with the original on them is 0.9992 with these, 0.9985
// with none.
var damp = func() (d [encoder.Dim]float32) {
	for i := range d {
		d[i] = 1
	}
	for channel, divisor := range map[int]float32{99: 4, 157: 3, 63: 2, 223: 2, 338: 2, 190: 1.5, 233: 1.5, 351: 1.5} {
		d[channel] = divisor
	}
	return d
}()

// damped multiplies the weights of each channel by what the channel is divided by.
func damped(w []float32) []float32 {
	for i := range w {
		w[i] *= damp[i%encoder.Dim]
	}
	return w
}
