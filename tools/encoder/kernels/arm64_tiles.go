package main

import "fmt"

const (
	sdotRows  = 6 // 24 registers of sums, 6 of codes, 2 of weights
	smullRows = 3 // 24 registers of sums, two for four columns
)

// Registers behind 24 of sums.
const (
	leftV  = 24 // one for each row
	rightV = 30 // two in turn, so that one is loaded while the other is multiplied
)

// tileText begins a tile of m rows: their addresses are in R1 and on, weights in R7, k4 in R8.
func (a *arm64) tileText(name string, m int) {
	a.text(name, "tile")
	a.fields("a R1", "w R7", "k4 R8", "lda R9")
	a.rows(m)
}

// rows puts the addresses of m rows into R1 and on; R9 is the distance.
func (a *arm64) rows(m int) {
	for r := 1; r < m; r++ {
		a.op("ADD R9, R%d, R%d", r, r+1)
	}
}

// sdot is a tile of m rows and 16 columns for processors that have SDOT.
func (a *arm64) sdot(m int) {
	a.tileText(fmt.Sprintf("sdot%d", m), m)
	a.zero(0, 4*m)
	a.label("loop")
	for r := range m {
		a.op("FMOVQ.P 16(R%d), F%d", 1+r, leftV+r)
	}
	a.load(rightV, 0, 7)
	for i := range 16 { // a register has four inputs of four columns
		if i < 15 {
			a.load(rightV+(i+1)%2, 16*(i+1), 7)
		}
		for r := range m {
			a.lane("sdot", 4*r+i%4, rightV+i%2, leftV+r, i/4)
		}
	}
	a.op("ADD $256, R7")
	a.op("SUBS $4, R8")
	a.op("BNE loop")
	a.tileEnd(m)
}

// smull is a tile as sdot's for processors that lack SDOT: products in 16 bits, of which SADALP adds
// neighbours to sums in 32 bits. Adding two products in 16 bits first could overflow, as codes
// and weights may be -128.
func (a *arm64) smull(m int) {
	const product, weights, codes = 24, 26, 28
	a.tileText(fmt.Sprintf("smull%d", m), m)
	a.zero(0, 8*m)
	a.label("loop")
	for r := range m {
		a.op("VLD1R.P 4(R%d), [V%d.S4]", 1+r, codes+r)
	}
	for c := range 4 {
		a.op("FMOVQ.P 16(R7), F%d", weights+c%2)
		for r := range m {
			a.v("smull", product, weights+c%2, codes+r)
			a.v("smull2", product+1, weights+c%2, codes+r)
			a.v("sadalp", 8*r+2*c, product)
			a.v("sadalp", 8*r+2*c+1, product+1)
		}
	}
	a.op("SUBS $1, R8")
	a.op("BNE loop")
	for i := range 4 * m {
		a.v("addp", i, 2*i, 2*i+1)
	}
	a.tileEnd(m)
}

// tileEnd makes floats of the sums, four registers a row, and stores them.
func (a *arm64) tileEnd(m int) {
	const sum, scale, bias, row, result = 24, 26, 28, 30, 31
	a.fields("wsum R1", "nzp R2", "wscale R3", "bias R4", "rs R5", "ldc R7")
	for c := 0; c < 4; c += 2 {
		a.loadPair(sum, 16*c, 1)
		a.loadPair(scale, 16*c, 3)
		a.loadPair(bias, 16*c, 4)
		a.fields("c R6")
		for r := range m {
			a.one(row, 4*r, 2)
			for i := range 2 {
				v := 4*r + c + i
				a.lane("mla", v, sum+i, row, 0)
				a.v("scvtf", v, v)
				a.v("fmul", v, v, scale+i)
			}
			a.one(row, 4*r, 5)
			for i := range 2 {
				a.move(result, bias+i)
				a.lane("fmla", result, 4*r+c+i, row, 0)
				a.store(result, 16*(c+i), 6)
			}
			a.op("ADD R7, R6")
		}
	}
	a.op("RET")
}
