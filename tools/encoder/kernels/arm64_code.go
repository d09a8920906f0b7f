package main

import (
	"fmt"
	"strings"
)

// Go's assembler lacks most vector instructions on floats and all dot products. They are
// written as numbers, with the name in ARM's own syntax behind them, which is what a
// disassembler shows too. Codes are from the Arm A64 Instruction Set Architecture,
// https://developer.arm.com/documentation/ddi0602.

// arm64Ops are the codes of instructions of two or three registers, with the shapes of these.
var arm64Ops = map[string]struct {
	code   uint32
	shapes string
}{
	"fadd": {0x4e20d400, "4s 4s 4s"},
	"fsub": {0x4ea0d400, "4s 4s 4s"},
	"fmul": {0x6e20dc00, "4s 4s 4s"},
	"fmla": {0x4e20cc00, "4s 4s 4s"},
	"fmin": {0x4ea0f400, "4s 4s 4s"},
	"fmax": {0x4e20f400, "4s 4s 4s"},
	"addp": {0x4ea0bc00, "4s 4s 4s"}, // sums of neighbours

	"smull":  {0x0e20c000, "8h 8b 8b"}, // products of the lower bytes
	"smull2": {0x4e20c000, "8h 16b 16b"},
	"sadalp": {0x4e606800, "4s 8h"}, // adds neighbours

	"scvtf":  {0x4e21d800, "4s 4s"}, // from int32
	"fcvtns": {0x4e21a800, "4s 4s"}, // to int32, ties to even
	"frintn": {0x4e218800, "4s 4s"}, // to a whole number, ties to even
	"fminv":  {0x6eb0f800, "s 4s"},  // the least of four
	"fmaxv":  {0x6e30f800, "s 4s"},

	"sqxtn h":  {0x0e614800, "4h 4s"}, // to int16, held within it
	"sqxtn2 h": {0x4e614800, "8h 4s"},
	"sqxtn b":  {0x0e214800, "8b 8h"},
	"sqxtn2 b": {0x4e214800, "16b 8h"},
}

// arm64Lane are the codes of instructions whose last register gives one lane only.
var arm64Lane = map[string]struct {
	code   uint32
	shapes string
}{
	"fmla": {0x4f801000, "4s 4s s"},
	"mla":  {0x6f800000, "4s 4s s"},
	"sdot": {0x4f80e000, "4s 16b 4b"}, // adds four products of int8 to each lane
}

// v is an instruction on vectors: the register of the result, then what it is made from.
func (a *arm64) v(name string, regs ...int) {
	i, ok := arm64Ops[name]
	shapes := strings.Fields(i.shapes)
	if !ok || len(shapes) != len(regs) {
		panic(fmt.Sprintf("%s of %d registers", name, len(regs)))
	}
	code := i.code
	for j, r := range regs {
		code |= arm64Reg(r) << []int{0, 5, 16}[j]
		shapes[j] = arm64Operand(r, shapes[j])
	}
	mnemonic, _, _ := strings.Cut(name, " ")
	a.word(code, mnemonic, strings.Join(shapes, ", "))
}

func arm64Operand(r int, shape string) string {
	if shape == "s" { // one number
		return fmt.Sprintf("s%d", r)
	}
	return fmt.Sprintf("v%d.%s", r, shape)
}

// lane is an instruction that adds to d what n gives with one lane of m.
func (a *arm64) lane(name string, d, n, m, lane int) {
	i, ok := arm64Lane[name]
	if !ok || lane < 0 || lane > 3 {
		panic(fmt.Sprintf("%s with lane %d", name, lane))
	}
	s := strings.Fields(i.shapes)
	code := i.code | uint32(lane&1)<<21 | uint32(lane>>1)<<11 | arm64Reg(m)<<16 | arm64Reg(n)<<5 | arm64Reg(d)
	a.word(code, name, fmt.Sprintf("v%d.%s, v%d.%s, v%d.%s[%d]", d, s[0], n, s[1], m, s[2], lane))
}

func (a *arm64) word(code uint32, name, operands string) {
	fmt.Fprintf(a, "\tWORD $%#08x // %s %s\n", code, name, operands)
}

func arm64Reg(n int) uint32 {
	if n < 0 || n > 31 {
		panic(fmt.Sprintf("register %d", n))
	}
	return uint32(n)
}
