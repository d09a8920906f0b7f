package main

import (
	"fmt"
	"strings"
)

// arm64 is assembly for 64-bit ARM as Go's assembler has it, the result last, where that knows
// the instruction: see word. A register V has 4 numbers of 32 bits; as F it is the same register.
//
// R0 has the argument in all functions. R1 to R12 are as each function says; R18, and R27 on,
// belong to systems and to Go.
type arm64 struct {
	strings.Builder
	args string // the struct that the argument points to
}

func arm64Kernels() string {
	a := &arm64{}
	a.WriteString("\n#include \"go_asm.h\"\n#include \"textflag.h\"\n")
	for rows := range sdotRows {
		a.sdot(rows + 1)
	}
	for rows := range smullRows {
		a.smull(rows + 1)
	}
	for _, columns := range []int{16, 8} {
		for rows := range neonRows {
			a.sg(rows+1, columns)
		}
	}
	a.addln()
	a.minmax()
	a.gelu()
	a.quant()
	a.softmax()
	return a.String()
}

// text begins a function that takes a pointer to args, which R0 has from here on.
func (a *arm64) text(name, args string) {
	a.args = args
	fmt.Fprintf(a, "\nTEXT ·%s(SB), NOSPLIT, $0-8\n", name)
	a.op("MOVD t+0(FP), R0")
}

// fields gives fields of the argument to registers: "field register" each.
func (a *arm64) fields(fields ...string) {
	for _, f := range fields {
		field, register, _ := strings.Cut(f, " ")
		a.op("MOVD %s, %s", a.field(field), register)
	}
}

// field is the address of a field of the argument, whose offset go_asm.h has from the compiler.
func (a *arm64) field(name string) string { return a.args + "_" + name + "(R0)" }

func (a *arm64) label(name string) { fmt.Fprintf(a, "%s:\n", name) }

func (a *arm64) op(format string, args ...any) { fmt.Fprintf(a, "\t"+format+"\n", args...) }

// zero clears n registers from v on.
func (a *arm64) zero(v, n int) {
	for range n {
		a.op("VEOR V%d.B16, V%d.B16, V%d.B16", v, v, v)
		v++
	}
}

func (a *arm64) move(d, n int) { a.op("VORR V%d.B16, V%d.B16, V%d.B16", n, n, d) }

// load and store are of 16 bytes at an offset from a register.
func (a *arm64) load(v, at, r int) { a.op("FMOVQ %d(R%d), F%d", at, r, v) }

func (a *arm64) store(v, at, r int) { a.op("FMOVQ F%d, %d(R%d)", v, at, r) }

// loadPair and storePair are of 32 bytes and two registers.
func (a *arm64) loadPair(v, at, r int) { a.op("FLDPQ %d(R%d), (F%d, F%d)", at, r, v, v+1) }

func (a *arm64) storePair(v, at, r int) { a.op("FSTPQ (F%d, F%d), %d(R%d)", v, v+1, at, r) }

// one loads a float or an int32 into lane 0, the rest is 0.
func (a *arm64) one(v, at, r int) { a.op("FMOVS %d(R%d), F%d", at, r, v) }

// spread puts lane 0 of n into all lanes of d.
func (a *arm64) spread(d, n int) { a.op("VDUP V%d.S[0], V%d.S4", n, d) }
