package main

// Functions that polynomials stand for: encoder's geluC and expC. Their numbers come
// eight times each, as a register has them.

// gelu is x × (0.5 + c × P(c²)), c being x held within ±geluEdge, with P's ten numbers: the upper
// seven stay in registers, the others come from memory. Y0 and Y1 are the bounds of
// the result.
func (a *amd64) gelu() {
	const (
		x, c, square, p = 2, 3, 4, 5
		kept, first     = 6, 3 // Y6 to Y12 are P's from 3 on
		half            = 13
		edge, minusEdge = 14, 15
	)
	a.text("gelumm", "mmArgs")
	a.load("x SI", "n CX", "consts BX")
	a.zero(0, 2)
	for i := range 10 {
		a.op("VMOVUPS %d(BX), Y%d", 32*(first+i), kept+i)
	}
	a.label("loop")
	for i := range 2 {
		a.op("VMOVUPS %d(SI), Y%d", 32*i, x)
		a.op("VMAXPS Y%d, Y%d, Y%d", minusEdge, x, c)
		a.op("VMINPS Y%d, Y%d, Y%d", edge, c, c)
		a.op("VMULPS Y%d, Y%d, Y%d", c, c, square)
		a.op("VMOVAPS Y%d, Y%d", half-1, p)
		for k := half - 2; k >= kept; k-- {
			a.op("VFMADD213PS Y%d, Y%d, Y%d", k, square, p)
		}
		for k := first - 1; k >= 0; k-- {
			a.op("VFMADD213PS %d(BX), Y%d, Y%d", 32*k, square, p)
		}
		a.op("VFMADD213PS Y%d, Y%d, Y%d", half, c, p)
		a.op("VMULPS Y%d, Y%d, Y%d", x, p, p)
		a.op("VMOVUPS Y%d, %d(SI)", p, 32*i)
		a.op("VMINPS Y%d, Y0, Y0", p)
		a.op("VMAXPS Y%d, Y1, Y1", p)
	}
	a.op("ADDQ $64, SI")
	a.op("SUBQ $16, CX")
	a.op("JNZ loop")
	a.bounds()
}

// softmax passes three times over each row: the greatest, for Y0; powers and their
// sum; then each is divided. AX is where in the row it is, R10 where that ends, R9 how many
// rows are left. Y8 to Y15 are log₂e, expLeast and the polynomial's six.
func (a *amd64) softmax() {
	const log2e = 8
	a.text("softmax", "smArgs")
	a.load("s SI", "ld DX", "rows R9", "n R10")
	a.op("SHLQ $2, R10")
	a.load("consts BX")
	for i := range 8 {
		a.op("VMOVUPS %d(BX), Y%d", 32*i, log2e+i)
	}
	a.label("row")
	a.greatest()
	a.powers()
	a.shares()
	a.op("ADDQ DX, SI")
	a.op("DECQ R9")
	a.op("JNZ row")
	a.ret()
}

// greatest puts the greatest of the row in all lanes of Y0.
func (a *amd64) greatest() {
	a.op("VMOVUPS (SI), Y0")
	a.op("MOVQ $32, AX")
	a.op("JMP test")
	a.label("greatest")
	a.op("VMAXPS (SI)(AX*1), Y0, Y0")
	a.op("ADDQ $32, AX")
	a.label("test")
	a.op("CMPQ AX, R10")
	a.op("JLT greatest")
	a.across("VMAXPS", 0, 1)
	a.op("VBROADCASTSS X0, Y0")
}

// powers replaces each x by e^(x - greatest), which is 2^(n+f) with a whole n and f within ±0.5: a
// polynomial gives 2^f, and n is added to its exponent. Their sum goes to Y1.
func (a *amd64) powers() {
	const (
		x, n, p        = 2, 3, 4
		log2e, least   = 8, 9
		lowest, degree = 10, 5
	)
	a.zero(1, 1)
	a.op("XORQ AX, AX")
	a.label("powers")
	a.op("VMOVUPS (SI)(AX*1), Y%d", x)
	a.op("VSUBPS Y0, Y%d, Y%d", x, x)
	a.op("VMULPS Y%d, Y%d, Y%d", log2e, x, x)
	a.op("VMAXPS Y%d, Y%d, Y%d", least, x, x)
	a.op("VROUNDPS $0, Y%d, Y%d", x, n) // to the nearest
	a.op("VSUBPS Y%d, Y%d, Y%d", n, x, x)
	a.op("VCVTPS2DQ Y%d, Y%d", n, n)
	a.op("VPSLLD $23, Y%d, Y%d", n, n) // to where a float has its exponent
	a.op("VMOVAPS Y%d, Y%d", lowest+degree, p)
	for k := degree - 1; k >= 0; k-- {
		a.op("VFMADD213PS Y%d, Y%d, Y%d", lowest+k, x, p)
	}
	a.op("VPADDD Y%d, Y%d, Y%d", n, p, p)
	a.op("VMOVUPS Y%d, (SI)(AX*1)", p)
	a.op("VADDPS Y%d, Y1, Y1", p)
	a.op("ADDQ $32, AX")
	a.op("CMPQ AX, R10")
	a.op("JLT powers")
	a.across("VADDPS", 1, 2)
}

// shares divides by the sum.
func (a *amd64) shares() {
	a.one(2, "CX")
	a.op("VDIVSS X1, X2, X2")
	a.op("VBROADCASTSS X2, Y2")
	a.op("XORQ AX, AX")
	a.label("shares")
	a.op("VMULPS (SI)(AX*1), Y2, Y3")
	a.op("VMOVUPS Y3, (SI)(AX*1)")
	a.op("ADDQ $32, AX")
	a.op("CMPQ AX, R10")
	a.op("JLT shares")
}
