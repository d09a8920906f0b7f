#include "textflag.h"

// The bits of word w (in R8 … R11) that differ from the query's, counted in each
// of its planes and added, with their weights, to AX, BX and CX.
#define COUNT(word, at) \
	MOVQ    word, R12; \
	ANDQ    (32+at)(DX), R12; \
	POPCNTQ R12, R12; \
	ADDQ    R12, AX; \
	MOVQ    word, R12; \
	ANDQ    (64+at)(DX), R12; \
	POPCNTQ R12, R12; \
	ADDQ    R12, BX; \
	ANDQ    (96+at)(DX), word; \
	POPCNTQ word, word; \
	ADDQ    word, CX

// func popcntDistances(dst *uint16, n int, signs *uint64, q *quad)
TEXT ·popcntDistances(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ n+8(FP), R13
	MOVQ signs+16(FP), SI
	MOVQ q+24(FP), DX

next:
	MOVQ 0(SI), R8
	MOVQ 8(SI), R9
	MOVQ 16(SI), R10
	MOVQ 24(SI), R11
	XORQ 0(DX), R8
	XORQ 8(DX), R9
	XORQ 16(DX), R10
	XORQ 24(DX), R11
	XORL AX, AX
	XORL BX, BX
	XORL CX, CX
	COUNT(R8, 0)
	COUNT(R9, 8)
	COUNT(R10, 16)
	COUNT(R11, 24)
	LEAQ (AX)(BX*2), AX
	LEAQ (AX)(CX*4), AX
	MOVW AX, (DI)
	ADDQ $32, SI
	ADDQ $2, DI
	DECQ R13
	JNZ  next
	RET

// The word of signs at, compared with what the query has of it.
#define WORD(at) \
	MOVQ    at(SI), R8; \
	XORQ    (4*at)(DX), R8; \
	MOVQ    (4*at+8)(DX), R12; \
	ANDQ    R8, R12; \
	POPCNTQ R12, R12; \
	ADDQ    R12, AX; \
	MOVQ    (4*at+16)(DX), R9; \
	ANDQ    R8, R9; \
	POPCNTQ R9, R9; \
	ADDQ    R9, BX; \
	ANDQ    (4*at+24)(DX), R8; \
	POPCNTQ R8, R8; \
	ADDQ    R8, CX

// func popcntSixDistances(dst *uint16, n int, signs, q *uint64)
TEXT ·popcntSixDistances(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ n+8(FP), R13
	MOVQ signs+16(FP), SI
	MOVQ q+24(FP), DX

nextSix:
	XORL AX, AX
	XORL BX, BX
	XORL CX, CX
	WORD(0)
	WORD(8)
	WORD(16)
	WORD(24)
	WORD(32)
	WORD(40)
	LEAQ (AX)(BX*2), AX
	LEAQ (AX)(CX*4), AX
	MOVW AX, (DI)
	ADDQ $48, SI
	ADDQ $2, DI
	DECQ R13
	JNZ  nextSix
	RET

// func popcntWideDistances(dst *uint16, n int, signs, q *uint64, words int)
TEXT ·popcntWideDistances(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ n+8(FP), R13
	MOVQ signs+16(FP), SI
	MOVQ q+24(FP), DX
	MOVQ words+32(FP), R11

nextWide:
	MOVQ DX, R9
	MOVQ R11, R10
	XORL AX, AX
	XORL BX, BX
	XORL CX, CX

word:
	MOVQ    (SI), R8
	XORQ    (R9), R8
	MOVQ    8(R9), R12
	ANDQ    R8, R12
	POPCNTQ R12, R12
	ADDQ    R12, AX
	MOVQ    16(R9), R12
	ANDQ    R8, R12
	POPCNTQ R12, R12
	ADDQ    R12, BX
	ANDQ    24(R9), R8
	POPCNTQ R8, R8
	ADDQ    R8, CX
	ADDQ    $8, SI
	ADDQ    $32, R9
	DECQ    R10
	JNZ     word
	LEAQ    (AX)(BX*2), AX
	LEAQ    (AX)(CX*4), AX
	MOVW    AX, (DI)
	ADDQ    $2, DI
	DECQ    R13
	JNZ     nextWide
	RET

// func avx2Dot(q *int16, c *byte, n int) int64
// n is a multiple of 16 and at least 16.
TEXT ·avx2Dot(SB), NOSPLIT, $0-32
	MOVQ  q+0(FP), SI
	MOVQ  c+8(FP), DI
	MOVQ  n+16(FP), CX
	VPXOR Y0, Y0, Y0

more:
	VPMOVSXBW (DI), Y1
	VPMADDWD  (SI), Y1, Y1
	VPADDD    Y1, Y0, Y0
	ADDQ      $16, DI
	ADDQ      $32, SI
	SUBQ      $16, CX
	JNZ       more

	// The eight sums of 32 bits, as two of 64 and then one.
	VEXTRACTI128 $1, Y0, X1
	VPMOVSXDQ    X0, Y2
	VPMOVSXDQ    X1, Y3
	VPADDQ       Y2, Y3, Y2
	VEXTRACTI128 $1, Y2, X3
	VPADDQ       X2, X3, X2
	VPSRLDQ      $8, X2, X3
	VPADDQ       X2, X3, X2
	VMOVQ        X2, AX
	VZEROUPPER
	MOVQ         AX, ret+24(FP)
	RET
