package main

func (a *arm64) minmax() {
	a.text("minmax", "mmArgs")
	a.fields("x R1", "n R2")
	a.zero(0, 2)
	a.label("loop")
	a.loadPair(2, 0, 1)
	a.loadPair(4, 32, 1)
	for v := 2; v < 6; v++ {
		a.bounds(v)
	}
	a.op("ADD $64, R1")
	a.op("SUBS $16, R2")
	a.op("BNE loop")
	a.storeBounds()
	a.op("RET")
}

// gelu is gelumm, of which the fields are those of mmArgs; geluV gives its constants.
func (a *arm64) gelu() {
	const coef, half, most, least = 16, 26, 27, 28
	a.text("gelumm", "mmArgs")
	a.fields("x R1", "n R2", "consts R3")
	for i := range 13 {
		a.load(coef+i, 32*i, 3)
	}
	a.zero(0, 2)
	a.label("loop")
	for at := 0; at < 64; at += 32 {
		const x, c, square, p, q = 2, 4, 6, 8, 10
		a.loadPair(x, at, 1)
		for h := range 2 {
			a.v("fmax", c+h, x+h, least)
			a.v("fmin", c+h, c+h, most)
			a.v("fmul", square+h, c+h, c+h)
		}
		r := a.polynomial(p, q, square, coef, 9)
		free := p + q - r
		for h := range 2 {
			a.move(free+h, half)
			a.v("fmla", free+h, r+h, c+h)
			a.v("fmul", x+h, x+h, free+h)
			a.bounds(x + h)
		}
		a.storePair(x, at, 1)
	}
	a.op("ADD $64, R1")
	a.op("SUBS $16, R2")
	a.op("BNE loop")
	a.storeBounds()
	a.op("RET")
}

// polynomial of a pair x by Horner's rule, with coefficients up to a degree from coef on. It takes
// turns in the pairs p and q, and tells in which the result is.
func (a *arm64) polynomial(p, q, x, coef, degree int) int {
	for h := range 2 {
		a.move(p+h, coef+degree)
	}
	for k := degree - 1; k >= 0; k-- {
		for h := range 2 {
			a.move(q+h, coef+k)
			a.v("fmla", q+h, p+h, x+h)
		}
		p, q = q, p
	}
	return p
}

// softmax has the fields of smArgs, expV gives its constants.
func (a *arm64) softmax() {
	const log2e, most, sum, scale = 16, 0, 2, 1
	a.text("softmax", "smArgs")
	a.fields("s R1", "ld R2", "rows R3", "n R4", "consts R5")
	for i := range 8 {
		a.load(log2e+i, 32*i, 5)
	}
	a.label("row")
	a.most(most)
	a.exp(sum, most, log2e)
	a.sumOf8(sum, 4)
	a.reciprocal(scale, sum)
	a.eights("part", func() {
		a.loadPair(4, 0, 6)
		a.v("fmul", 4, 4, scale)
		a.v("fmul", 5, 5, scale)
		a.storePair(4, 0, 6)
	})
	a.op("ADD R2, R1")
	a.op("SUBS $1, R3")
	a.op("BNE row")
	a.op("RET")
}

// eights does something to each eight floats of a row, which are at R6 then.
func (a *arm64) eights(label string, do func()) {
	a.op("MOVD R1, R6")
	a.op("MOVD R4, R7")
	a.label(label)
	do()
	a.op("ADD $32, R6")
	a.op("SUBS $8, R7")
	a.op("BNE %s", label)
}

// most puts the greatest of a row into all lanes of d.
func (a *arm64) most(d int) {
	a.loadPair(d, 0, 1)
	a.eights("max", func() {
		a.loadPair(d+2, 0, 6)
		a.v("fmax", d, d, d+2)
		a.v("fmax", d+1, d+1, d+3)
	})
	a.v("fmax", d, d, d+1)
	a.v("fmaxv", d, d)
	a.spread(d, d)
}

// exp makes of each x of a row 2^n × P(f), where n is a whole number and n + f = (x - most) × log₂e,
// and leaves sums in the pair sum.
func (a *arm64) exp(sum, most, log2e int) {
	least, coef := log2e+1, log2e+2
	const x, n, p, q = 4, 6, 8, 10
	a.zero(sum, 2)
	a.eights("exp", func() {
		a.loadPair(x, 0, 6)
		for h := range 2 {
			a.v("fsub", x+h, x+h, most)
			a.v("fmul", x+h, x+h, log2e)
			a.v("fmax", x+h, x+h, least)
			a.v("frintn", n+h, x+h)
			a.v("fsub", x+h, x+h, n+h)
			a.v("fcvtns", n+h, n+h)
			a.op("VSHL $23, V%d.S4, V%d.S4", n+h, n+h)
		}
		r := a.polynomial(p, q, x, coef, 5)
		for h := range 2 {
			a.op("VADD V%d.S4, V%d.S4, V%d.S4", n+h, r+h, r+h)
			a.v("fadd", sum+h, sum+h, r+h)
		}
		a.storePair(r, 0, 6)
	})
}
