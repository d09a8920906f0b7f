package main

import "fmt"

const neonRows = 6 // registers as sdotRows

// sg is a product of m rows and n columns of floats. Each sum is made in the order of k, as on
// amd64.
func (a *arm64) sg(m, n int) {
	a.text(fmt.Sprintf("sg%d_%d", n, m), "sgArgs")
	a.fields("a R1", "b R7", "k R8", "lda R9", "ldb R10", "c R11", "ldc R12")
	a.rows(m)
	for r := range m {
		a.zero(4*r, n/4)
	}
	a.op("SUBS $4, R8")
	a.op("BLT rest")
	a.label("loop")
	for r := range m {
		a.op("FMOVQ.P 16(R%d), F%d", 1+r, leftV+r)
	}
	for k := range 4 {
		a.sgStep(m, n, k)
	}
	a.op("SUBS $4, R8")
	a.op("BGE loop")
	a.label("rest")
	a.op("ADDS $4, R8")
	a.op("BEQ end")
	a.label("next")
	for r := range m {
		a.op("FMOVS.P 4(R%d), F%d", 1+r, leftV+r)
	}
	a.sgStep(m, n, 0)
	a.op("SUBS $1, R8")
	a.op("BNE next")
	a.label("end")
	for r := range m {
		for c := 0; c < n/4; c += 2 {
			a.storePair(4*r+c, 16*c, 11)
		}
		if r < m-1 {
			a.op("ADD R12, R11")
		}
	}
	a.op("RET")
}

// sgStep adds the products of one k, which is a lane of the left side.
func (a *arm64) sgStep(m, n, lane int) {
	for c := range n / 4 {
		a.load(rightV+c%2, 16*c, 7)
		for r := range m {
			a.lane("fmla", 4*r+c, rightV+c%2, leftV+r, lane)
		}
	}
	a.op("ADD R10, R7")
}
