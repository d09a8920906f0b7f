package main

import (
	"fmt"
	"strings"
)

// amd64 is assembly for x86-64 as Go's assembler has it: operands from left to right, the
// result last. A Y register has 8 numbers of 32 bits, a Z register 16.
//
// DI has the argument in all functions. Functions with rows use DX, SI, R8 and R9 for
// them: see rowAt. AX, BX, CX and R10 to R13 are as each function says.
type amd64 struct {
	strings.Builder
	args string // the struct that the argument points to
}

func amd64Kernels() string {
	a := &amd64{}
	a.WriteString("\n#include \"go_asm.h\"\n#include \"textflag.h\"\n")
	for rows := range vnniRows {
		a.vnni(rows + 1)
	}
	for rows := range avx2Rows {
		a.avx2(rows + 1)
	}
	for vectors := 2; vectors > 0; vectors-- {
		for rows := range sgRows {
			a.sg(rows+1, vectors)
		}
	}
	a.addln()
	a.minmax()
	a.gelu()
	a.quant()
	a.softmax()
	return a.String()
}

// text begins a function that takes a pointer to args.
func (a *amd64) text(name, args string) {
	a.args = args
	fmt.Fprintf(a, "\nTEXT ·%s(SB), NOSPLIT, $0-8\n", name)
	a.op("MOVQ t+0(FP), DI")
}

// load gives fields of the argument to registers: "field REGISTER" each.
func (a *amd64) load(fields ...string) {
	for _, f := range fields {
		field, register, _ := strings.Cut(f, " ")
		a.op("MOVQ %s, %s", a.field(field), register)
	}
}

// field is the address of a field of the argument, whose offset go_asm.h has from the
// compiler.
func (a *amd64) field(name string) string { return a.args + "_" + name + "(DI)" }

func (a *amd64) op(format string, operands ...any) { fmt.Fprintf(a, "\t"+format+"\n", operands...) }

// label is known in its function only.
func (a *amd64) label(name string) { fmt.Fprintf(a, "%s:\n", name) }

// zero clears so many Y registers from the first on.
func (a *amd64) zero(first, n int) {
	for v := first; v < first+n; v++ {
		a.op("VXORPS Y%d, Y%d, Y%d", v, v, v)
	}
}

// ret leaves the function. Without VZEROUPPER, SSE instructions of the compiler's code
// would be slow from here on.
func (a *amd64) ret() {
	a.op("VZEROUPPER")
	a.op("RET")
}

// rows makes the addresses of that many rows from that of the first in SI and the bytes
// from row to row in DX: see rowAt.
func (a *amd64) rows(rows int) {
	if rows > 3 {
		a.op("LEAQ (SI)(DX*2), R8")
		a.op("ADDQ DX, R8")
	}
	if rows > 6 {
		a.op("LEAQ (R8)(DX*2), R9")
		a.op("ADDQ DX, R9")
	}
}

// rowAt is an address in a row. The processor adds an index once or twice to a base,
// so that a register serves three rows.
func rowAt(row, offset int) string {
	base := []string{"SI", "R8", "R9"}[row/3]
	return fmt.Sprintf("%d(%s)%s", offset, base, []string{"", "(DX*1)", "(DX*2)"}[row%3])
}

// nextInputs moves all rows on.
func (a *amd64) nextInputs(rows, bytes int) {
	for i, base := range []string{"SI", "R8", "R9"} {
		if rows > 3*i {
			a.op("ADDQ $%d, %s", bytes, base)
		}
	}
}

// across leaves in the first lane of v what op (VADDPS, VMINPS, VMAXPS) makes of its eight
// lanes: halves, then pairs, then neighbours.
func (a *amd64) across(op string, v, free int) {
	a.op("VEXTRACTF128 $1, Y%d, X%d", v, free)
	a.op("%s X%d, X%d, X%d", op, free, v, v)
	for _, swap := range []int{0x4E, 0xB1} { // lanes 2 3 0 1, lanes 1 0 3 2
		a.op("VPERMILPS $%#x, X%d, X%d", swap, v, free)
		a.op("%s X%d, X%d, X%d", op, free, v, v)
	}
}

// one puts 1 in the first lane of v.
func (a *amd64) one(v int, free string) {
	a.op("MOVL $%#x, %s", 0x3F800000, free)
	a.op("VMOVD %s, X%d", free, v)
}
