package main

// The passes of addln: AX is where in the row they are, CX where it ends. A turn
// does four registers, Y4 to Y7.
const (
	lnMean  = 8
	lnScale = 9
)

// addln passes three times: the sum, for the mean; the squares of what differs from it; then
// the result and its bounds. Computing the squares from the sum of x² instead would save a
// pass and lose digits.
func (a *amd64) addln() {
	a.text("addln", "lnArgs")
	a.load("x SI", "y BX", "g R8", "b R9", "n CX")
	a.op("SHLQ $2, CX")
	a.addlnSum()
	a.op("VMULSS %s, X0, X0", a.field("invn"))
	a.op("VBROADCASTSS X0, Y%d", lnMean)
	a.addlnSquares()
	a.op("VMULSS %s, X0, X0", a.field("invn"))
	a.op("VADDSS %s, X0, X0", a.field("eps"))
	a.op("VSQRTSS X0, X0, X0")
	a.one(1, "R10")
	a.op("VDIVSS X0, X1, X1")
	a.op("VBROADCASTSS X1, Y%d", lnScale)
	a.addlnResult()
	a.bounds()
}

// addlnPass does four registers of the row a turn, x in v, until its end.
func (a *amd64) addlnPass(name string, step func(i, v int)) {
	a.label(name)
	for i := range 4 {
		v := 4 + i
		a.op("VMOVUPS %d(SI)(AX*1), Y%d", 32*i, v)
		step(i, v)
	}
	a.op("ADDQ $128, AX")
	a.op("CMPQ AX, CX")
	a.op("JLT %s", name)
}

func (a *amd64) addlnSum() {
	a.op("XORQ AX, AX")
	a.zero(0, 4)
	a.addlnPass("sum", func(i, v int) {
		a.op("VADDPS %d(BX)(AX*1), Y%d, Y%d", 32*i, v, v)
		a.op("VMOVUPS Y%d, %d(SI)(AX*1)", v, 32*i)
		a.op("VADDPS Y%d, Y%d, Y%d", v, i, i)
	})
	a.addUp()
}

func (a *amd64) addlnSquares() {
	a.op("XORQ AX, AX")
	a.zero(0, 4)
	a.addlnPass("squares", func(i, v int) {
		a.op("VSUBPS Y%d, Y%d, Y%d", lnMean, v, v)
		a.op("VFMADD231PS Y%d, Y%d, Y%d", v, v, i)
	})
	a.addUp()
}

func (a *amd64) addlnResult() {
	const gain = 2
	a.op("XORQ AX, AX")
	a.zero(0, 2)
	a.addlnPass("result", func(i, v int) {
		a.op("VSUBPS Y%d, Y%d, Y%d", lnMean, v, v)
		a.op("VMULPS Y%d, Y%d, Y%d", lnScale, v, v)
		a.op("VMOVUPS %d(R8)(AX*1), Y%d", 32*i, gain)
		a.op("VFMADD213PS %d(R9)(AX*1), Y%d, Y%d", 32*i, gain, v)
		a.op("VMOVUPS Y%d, %d(SI)(AX*1)", v, 32*i)
		a.op("VMINPS Y%d, Y0, Y0", v)
		a.op("VMAXPS Y%d, Y1, Y1", v)
	})
}

// addUp leaves the sum of Y0 to Y3 in the first lane of Y0.
func (a *amd64) addUp() {
	a.op("VADDPS Y1, Y0, Y0")
	a.op("VADDPS Y3, Y2, Y2")
	a.op("VADDPS Y2, Y0, Y0")
	a.across("VADDPS", 0, 1)
}

// bounds stores the least of Y0 and the greatest of Y1, and returns.
func (a *amd64) bounds() {
	a.across("VMINPS", 0, 2)
	a.across("VMAXPS", 1, 2)
	a.op("VMOVSS X0, %s", a.field("mn"))
	a.op("VMOVSS X1, %s", a.field("mx"))
	a.ret()
}

// minmax has two of each bound, Y0 and Y2, Y1 and Y3, that need not wait for each other.
func (a *amd64) minmax() {
	a.text("minmax", "mmArgs")
	a.load("x SI", "n CX")
	a.zero(0, 4)
	a.label("loop")
	for i := range 4 {
		v, least, greatest := 4+i, 2*(i%2), 2*(i%2)+1
		a.op("VMOVUPS %d(SI), Y%d", 32*i, v)
		a.op("VMINPS Y%d, Y%d, Y%d", v, least, least)
		a.op("VMAXPS Y%d, Y%d, Y%d", v, greatest, greatest)
	}
	a.op("ADDQ $128, SI")
	a.op("SUBQ $32, CX")
	a.op("JNZ loop")
	a.op("VMINPS Y2, Y0, Y0")
	a.op("VMAXPS Y3, Y1, Y1")
	a.bounds()
}

// quant does 32 numbers a turn: Y8 is the scale, Y9 the code of 0. Both steps of packing
// hold numbers within their range, at the end 0 to 255, but work in each half of
// a register, so that the last step puts groups of four bytes in order.
func (a *amd64) quant() {
	const inv, zp, perm = 8, 9, 10
	a.text("quant8", "qArgs")
	a.load("x SI", "n CX", "q BX")
	a.op("VBROADCASTSS %s, Y%d", a.field("inv"), inv)
	a.op("VPBROADCASTD %s, Y%d", a.field("zp"), zp)
	a.load("perm R8")
	a.op("VMOVDQU (R8), Y%d", perm)
	a.label("loop")
	for i := range 4 {
		a.op("VMULPS %d(SI), Y%d, Y%d", 32*i, inv, i)
		a.op("VCVTPS2DQ Y%d, Y%d", i, i) // to the nearest, ties to even
		a.op("VPADDD Y%d, Y%d, Y%d", zp, i, i)
	}
	a.op("VPACKSSDW Y1, Y0, Y0")
	a.op("VPACKSSDW Y3, Y2, Y2")
	a.op("VPACKUSWB Y2, Y0, Y0")
	a.op("VPERMD Y0, Y%d, Y0", perm)
	a.op("VMOVDQU Y0, (BX)")
	a.op("ADDQ $32, BX")
	a.op("ADDQ $128, SI")
	a.op("SUBQ $32, CX")
	a.op("JNZ loop")
	a.ret()
}
