package main

import "fmt"

// Rows of the highest tiles: their sums, and what is needed beside them, fill the registers.
const (
	vnniRows = 8
	avx2Rows = 6
)

// Tiles multiply codes by weights. Weights lie so that a register holds four inputs of each of
// its columns, and a code register the same four inputs in each lane: one instruction
// takes four steps of a sum in each lane. Four such steps, 16 inputs, are a turn of the loop.
//
// BX has the weights, CX a quarter of the inputs left, R10 and R11 wsum and nzp. After the loop
// SI and DX are of c, R12 and R13 have wscale and bias, AX rs.

// tileText begins a tile: all but the sums.
func (a *amd64) tileText(name string, rows int) {
	a.text(name, "tile")
	a.load("a SI", "w BX", "k4 CX", "lda DX", "wsum R10", "nzp R11")
	a.rows(rows)
}

// tileLoop adds up the products of all inputs. step does four of them.
func (a *amd64) tileLoop(rows int, step func(i int)) {
	a.label("loop")
	for i := range 4 {
		step(i)
	}
	a.op("ADDQ $256, BX") // 16 inputs of 16 columns
	a.nextInputs(rows, 16)
	a.op("SUBQ $4, CX")
	a.op("JNZ loop")
	a.load("wscale R12", "bias R13", "rs AX", "c SI", "ldc DX")
	a.rows(rows)
}

// vnni is a tile of 48 columns, three registers a row: Z0 to Z23 have the sums of up to eight
// rows, Z24 to Z26 weights, and Z27 to Z31 codes in turn. 24 sums that do not wait for each
// other keep the multiplier busy while each takes its four or five cycles, and a weight is loaded
// once for eight rows.
func (a *amd64) vnni(rows int) {
	const weights, codes = 24, 27
	a.tileText(fmt.Sprintf("vnni%d", rows), rows)
	a.op("MOVQ CX, R13")
	a.op("SHLQ $6, R13") // from 16 columns to the next 16
	columns := []string{"", "(R13*1)", "(R13*2)"}
	a.vnniStart(rows)
	a.tileLoop(rows, func(i int) {
		for c := range 3 {
			a.op("VMOVDQU32 %d(BX)%s, Z%d", 64*i, columns[c], weights+c)
		}
		for r := range rows {
			code := codes + r%5
			a.op("VPBROADCASTD %s, Z%d", rowAt(r, 4*i), code)
			for c := range 3 {
				a.op("VPDPBUSD Z%d, Z%d, Z%d", weights+c, code, 3*r+c)
			}
		}
	})
	a.vnniEnd(rows)
}

// vnniStart begins the sums with nzp × wsum.
func (a *amd64) vnniStart(rows int) {
	const wsum, nzp = 24, 27
	for c := range 3 {
		a.op("VMOVDQU32 %d(R10), Z%d", 64*c, wsum+c)
	}
	for r := range rows {
		a.op("VPBROADCASTD %d(R11), Z%d", 4*r, nzp)
		for c := range 3 {
			a.op("VPMULLD Z%d, Z%d, Z%d", wsum+c, nzp, 3*r+c)
		}
	}
}

// vnniEnd makes floats of the sums and stores them.
func (a *amd64) vnniEnd(rows int) {
	const wscale, rs, bias = 24, 27, 28
	for c := range 3 {
		a.op("VMOVUPS %d(R12), Z%d", 64*c, wscale+c)
		a.op("VMOVUPS %d(R13), Z%d", 64*c, bias+c)
	}
	for r := range rows {
		a.op("VBROADCASTSS %d(AX), Z%d", 4*r, rs)
		for c := range 3 {
			sum := 3*r + c
			a.op("VCVTDQ2PS Z%d, Z%d", sum, sum)
			a.op("VMULPS Z%d, Z%d, Z%d", wscale+c, sum, sum)
			a.op("VFMADD213PS Z%d, Z%d, Z%d", bias+c, rs, sum)
			a.op("VMOVUPS Z%d, %s", sum, rowAt(r, 64*c))
		}
	}
	a.ret()
}

// avx2 is a tile of 16 columns, two registers a row: Y0 to Y11 have the sums of up to six rows,
// Y12 codes, Y13 and Y14 products, Y15 a 1 in each 16 bits. VPMADDUBSW adds two products
// of bytes in 16 bits, which never overflow as weights are chosen (see encoder.pairsFit);
// VPMADDWD with ones adds two such sums in 32 bits. Weights come from memory
// each time, since no register is left for them.
func (a *amd64) avx2(rows int) {
	const code, product, ones = 12, 13, 15
	a.tileText(fmt.Sprintf("avx2b_%d", rows), rows)
	a.op("VPCMPEQW Y%d, Y%d, Y%d", ones, ones, ones)
	a.op("VPSRLW $15, Y%d, Y%d", ones, ones)
	for sum := range 2 * rows {
		a.op("VPXOR Y%d, Y%d, Y%d", sum, sum, sum)
	}
	a.tileLoop(rows, func(i int) {
		for r := range rows {
			a.op("VPBROADCASTD %s, Y%d", rowAt(r, 4*i), code)
			for c := range 2 {
				a.op("VPMADDUBSW %d(BX), Y%d, Y%d", 64*i+32*c, code, product+c)
			}
			for c := range 2 {
				a.op("VPMADDWD Y%d, Y%d, Y%d", ones, product+c, product+c)
			}
			for c := range 2 {
				a.op("VPADDD Y%d, Y%d, Y%d", product+c, 2*r+c, 2*r+c)
			}
		}
	})
	a.avx2End(rows)
}

// avx2End adds nzp × wsum to the sums, makes floats of them and stores them.
func (a *amd64) avx2End(rows int) {
	const wsum, wscale, bias, perRow = 12, 13, 14, 15
	for c := range 2 {
		a.op("VMOVDQU %d(R10), Y%d", 32*c, wsum)
		a.op("VMOVUPS %d(R12), Y%d", 32*c, wscale)
		a.op("VMOVUPS %d(R13), Y%d", 32*c, bias)
		for r := range rows {
			sum := 2*r + c
			a.op("VPBROADCASTD %d(R11), Y%d", 4*r, perRow)
			a.op("VPMULLD Y%d, Y%d, Y%d", wsum, perRow, perRow)
			a.op("VPADDD Y%d, Y%d, Y%d", perRow, sum, sum)
			a.op("VCVTDQ2PS Y%d, Y%d", sum, sum)
			a.op("VMULPS Y%d, Y%d, Y%d", wscale, sum, sum)
			a.op("VBROADCASTSS %d(AX), Y%d", 4*r, perRow)
			a.op("VFMADD213PS Y%d, Y%d, Y%d", bias, perRow, sum)
			a.op("VMOVUPS Y%d, %s", sum, rowAt(r, 32*c))
		}
	}
	a.ret()
}
