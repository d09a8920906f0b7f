package main

// What is done to rows. The order of every sum is that of amd64, whose registers have eight lanes:
// two registers here are one there.

// addln passes three times, as on amd64.
func (a *arm64) addln() {
	const mean, scale = 28, 29
	a.text("addln", "lnArgs")
	a.fields("x R1", "y R2", "g R3", "b R4", "n R5")
	a.op("FMOVS %s, F30", a.field("invn"))
	a.normSum()
	a.op("FMULS F30, F0, F0")
	a.spread(mean, 0)
	a.normSquares(mean)
	a.op("FMOVS %s, F1", a.field("eps"))
	a.op("FMULS F30, F0, F0")
	a.op("FADDS F1, F0, F0")
	a.op("FSQRTS F0, F0")
	a.reciprocal(scale, 0)
	a.normScale(mean, scale)
	a.storeBounds()
	a.op("RET")
}

// normSum adds y to x, and leaves the sum of all in V0.
func (a *arm64) normSum() {
	a.op("MOVD R1, R6")
	a.op("MOVD R5, R7")
	a.zero(0, 8)
	a.label("add")
	for i := range 4 {
		a.loadPair(8+4*i, 32*i, 6)
		a.loadPair(10+4*i, 32*i, 2)
	}
	for i := range 4 {
		for h := range 2 {
			a.v("fadd", 8+4*i+h, 8+4*i+h, 10+4*i+h)
			a.v("fadd", 2*i+h, 2*i+h, 8+4*i+h)
		}
		a.storePair(8+4*i, 32*i, 6)
	}
	a.op("ADD $128, R6")
	a.op("ADD $128, R2")
	a.op("SUBS $32, R7")
	a.op("BNE add")
	a.sumOf32()
}

// normSquares leaves the sum of (x - mean)² in V0.
func (a *arm64) normSquares(mean int) {
	a.op("MOVD R1, R6")
	a.op("MOVD R5, R7")
	a.zero(0, 8)
	a.label("square")
	for i := range 4 {
		a.loadPair(8+2*i, 32*i, 6)
	}
	for i := range 8 {
		a.v("fsub", 8+i, 8+i, mean)
		a.v("fmla", i, 8+i, 8+i)
	}
	a.op("ADD $128, R6")
	a.op("SUBS $32, R7")
	a.op("BNE square")
	a.sumOf32()
}

func (a *arm64) normScale(mean, scale int) {
	a.zero(0, 2)
	a.label("scale")
	for i := range 2 {
		x, gain, bias := 4+2*i, 8+2*i, 12+2*i
		a.loadPair(x, 32*i, 1)
		a.loadPair(gain, 32*i, 3)
		a.loadPair(bias, 32*i, 4)
		for h := range 2 {
			a.v("fsub", x+h, x+h, mean)
			a.v("fmul", x+h, x+h, scale)
			a.v("fmla", bias+h, x+h, gain+h)
			a.bounds(bias + h)
		}
		a.storePair(bias, 32*i, 1)
	}
	for _, r := range []int{1, 3, 4} {
		a.op("ADD $64, R%d", r)
	}
	a.op("SUBS $16, R5")
	a.op("BNE scale")
}

// sumOf32 adds up V0 to V7, in which sums are, into lane 0 of V0.
func (a *arm64) sumOf32() {
	for _, s := range [][2]int{{0, 2}, {1, 3}, {4, 6}, {5, 7}, {0, 4}, {1, 5}} {
		a.v("fadd", s[0], s[0], s[1])
	}
	a.sumOf8(0, 2)
}

// sumOf8 adds up v and the register after it into lane 0 of v.
func (a *arm64) sumOf8(v, free int) {
	a.v("fadd", v, v, v+1)
	a.op("VEXT $8, V%d.B16, V%d.B16, V%d.B16", v, v, free)
	a.v("fadd", v, v, free)
	a.op("VREV64 V%d.S4, V%d.S4", v, free)
	a.v("fadd", v, v, free)
}

// reciprocal puts 1/n into all lanes of d.
func (a *arm64) reciprocal(d, n int) {
	a.op("FMOVS $1.0, F%d", d)
	a.op("FDIVS F%d, F%d, F%d", n, d, d)
	a.spread(d, d)
}

// bounds keeps the least of v and 0 in V0, the greatest in V1.
func (a *arm64) bounds(v int) {
	a.v("fmin", 0, 0, v)
	a.v("fmax", 1, 1, v)
}

func (a *arm64) storeBounds() {
	a.v("fminv", 0, 0)
	a.v("fmaxv", 1, 1)
	a.op("FMOVS F0, %s", a.field("mn"))
	a.op("FMOVS F1, %s", a.field("mx"))
}

// quant makes codes of -128 to 127: what SDOT and SMULL multiply has a sign.
func (a *arm64) quant() {
	const inv, zero = 8, 9
	a.text("quant8", "qArgs")
	a.fields("x R1", "n R2", "q R3")
	a.op("FMOVS %s, F%d", a.field("inv"), inv)
	a.op("MOVW %s, R4", a.field("zp"))
	a.op("SUB $128, R4")
	a.spread(inv, inv)
	a.op("VDUP R4, V%d.S4", zero)
	a.label("loop")
	a.loadPair(0, 0, 1)
	a.loadPair(2, 32, 1)
	for v := range 4 {
		a.v("fmul", v, v, inv)
		a.v("fcvtns", v, v)
		a.op("VADD V%d.S4, V%d.S4, V%d.S4", zero, v, v)
	}
	a.v("sqxtn h", 4, 0)
	a.v("sqxtn2 h", 4, 1)
	a.v("sqxtn h", 5, 2)
	a.v("sqxtn2 h", 5, 3)
	a.v("sqxtn b", 6, 4)
	a.v("sqxtn2 b", 6, 5)
	a.op("FMOVQ.P F6, 16(R3)")
	a.op("ADD $64, R1")
	a.op("SUBS $16, R2")
	a.op("BNE loop")
	a.op("RET")
}
