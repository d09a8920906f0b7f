package encoder

import "golang.org/x/sys/cpu"

// The kernels of kernels_amd64.s, by rows: see tools/encoder/kernels.

//go:noescape
func vnni1(t *tile)

//go:noescape
func vnni2(t *tile)

//go:noescape
func vnni3(t *tile)

//go:noescape
func vnni4(t *tile)

//go:noescape
func vnni5(t *tile)

//go:noescape
func vnni6(t *tile)

//go:noescape
func vnni7(t *tile)

//go:noescape
func vnni8(t *tile)

//go:noescape
func avx2b_1(t *tile)

//go:noescape
func avx2b_2(t *tile)

//go:noescape
func avx2b_3(t *tile)

//go:noescape
func avx2b_4(t *tile)

//go:noescape
func avx2b_5(t *tile)

//go:noescape
func avx2b_6(t *tile)

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
// of codes only, which is exact; all else is AVX2 in both.
func available() []*kernels {
	x := &cpu.X86
	if !x.HasAVX2 || !x.HasFMA {
		return nil
	}
	avx2 := &kernels{
		tier:    AVX2,
		cols:    16,
		tiles:   []func(*tile){nil, avx2b_1, avx2b_2, avx2b_3, avx2b_4, avx2b_5, avx2b_6},
		sg16:    []func(*sgArgs){nil, sg16_1, sg16_2, sg16_3, sg16_4, sg16_5, sg16_6},
		sg8:     []func(*sgArgs){nil, sg8_1, sg8_2, sg8_3, sg8_4, sg8_5, sg8_6},
		softmax: softmax,
		addln:   addln,
		minmax:  minmax,
		gelu:    gelumm,
		quant:   quant8,
	}
	if !x.HasAVX512F || !x.HasAVX512BW || !x.HasAVX512DQ || !x.HasAVX512VL || !x.HasAVX512VNNI {
		return []*kernels{avx2}
	}
	vnni := *avx2
	vnni.tier, vnni.cols = VNNI, 48
	vnni.tiles = []func(*tile){nil, vnni1, vnni2, vnni3, vnni4, vnni5, vnni6, vnni7, vnni8}
	return []*kernels{&vnni, avx2}
}
