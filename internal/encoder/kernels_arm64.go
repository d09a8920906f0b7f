package encoder

import (
	"runtime"

	"golang.org/x/sys/cpu"
)

// The kernels of kernels_arm64.s, by rows: see tools/encoder/kernels.

//go:noescape
func sdot1(t *tile)

//go:noescape
func sdot2(t *tile)

//go:noescape
func sdot3(t *tile)

//go:noescape
func sdot4(t *tile)

//go:noescape
func sdot5(t *tile)

//go:noescape
func sdot6(t *tile)

//go:noescape
func smull1(t *tile)

//go:noescape
func smull2(t *tile)

//go:noescape
func smull3(t *tile)

//go:noescape
func sg16_1(t *sgArgs)

//go:noescape
func sg16_2(t *sgArgs)

//go:noescape
func sg16_3(t *sgArgs)

//go:noescape
func sg16_4(t *sgArgs)

//go:noescape
func sg16_5(t *sgArgs)

//go:noescape
func sg16_6(t *sgArgs)

//go:noescape
func sg8_1(t *sgArgs)

//go:noescape
func sg8_2(t *sgArgs)

//go:noescape
func sg8_3(t *sgArgs)

//go:noescape
func sg8_4(t *sgArgs)

//go:noescape
func sg8_5(t *sgArgs)

//go:noescape
func sg8_6(t *sgArgs)

//go:noescape
func addln(t *lnArgs)

//go:noescape
func minmax(t *mmArgs)

//go:noescape
func gelumm(t *mmArgs)

//go:noescape
func quant8(t *qArgs)

//go:noescape
func softmax(t *smArgs)

// available lists the tiers of this processor, the fastest first. They differ in the multiplication
// of codes only, which is exact; every processor of 64-bit ARM has NEON.
func available() []*kernels {
	neon := &kernels{
		tier:    NEON,
		shift:   128,
		cols:    16,
		tiles:   []func(*tile){nil, smull1, smull2, smull3},
		sg16:    []func(*sgArgs){nil, sg16_1, sg16_2, sg16_3, sg16_4, sg16_5, sg16_6},
		sg8:     []func(*sgArgs){nil, sg8_1, sg8_2, sg8_3, sg8_4, sg8_5, sg8_6},
		softmax: softmax,
		addln:   addln,
		minmax:  minmax,
		gelu:    gelumm,
		quant:   quant8,
	}
	if !hasDotProduct() {
		return []*kernels{neon}
	}
	sdot := *neon
	sdot.tier = SDOT
	sdot.tiles = []func(*tile){nil, sdot1, sdot2, sdot3, sdot4, sdot5, sdot6}
	return []*kernels{&sdot, neon}
}

// hasDotProduct tells whether the processor has SDOT. All that macOS runs on have: the name by which
// it is asked for that there is not known to all its versions.
func hasDotProduct() bool { return cpu.ARM64.HasASIMDDP || runtime.GOOS == "darwin" }
