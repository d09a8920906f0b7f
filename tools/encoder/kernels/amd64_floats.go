package main

import "fmt"

const sgRows = 6

// sg multiplies floats: 8 columns in each of the registers a row, of which there are 2 at most.
// Y0 to Y11 have the sums, Y12 and Y13 a row of b, Y14 a number of a. BX has b, CX the
// inputs left, R10 the bytes from row to row of b.
func (a *amd64) sg(rows, vectors int) {
	const right, left = 12, 14
	a.text(fmt.Sprintf("sg%d_%d", 8*vectors, rows), "sgArgs")
	a.load("a SI", "b BX", "k CX", "lda DX", "ldb R10")
	a.rows(rows)
	a.zero(0, vectors*rows)
	a.label("loop")
	for v := range vectors {
		a.op("VMOVUPS %d(BX), Y%d", 32*v, right+v)
	}
	a.op("ADDQ R10, BX")
	for r := range rows {
		a.op("VBROADCASTSS %s, Y%d", rowAt(r, 0), left)
		for v := range vectors {
			a.op("VFMADD231PS Y%d, Y%d, Y%d", right+v, left, vectors*r+v)
		}
	}
	a.nextInputs(rows, 4)
	a.op("DECQ CX")
	a.op("JNZ loop")
	a.load("c SI", "ldc DX")
	a.rows(rows)
	for r := range rows {
		for v := range vectors {
			a.op("VMOVUPS Y%d, %s", vectors*r+v, rowAt(r, 32*v))
		}
	}
	a.ret()
}
