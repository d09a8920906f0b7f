package encoder

// Tier is a kind of kernels. Which one runs is decided by what the processor can do.
type Tier uint8

const (
	Plain Tier = iota // Go: every processor, some 30 times slower than VNNI
	NEON              // arm64: every processor, four times the instructions of SDOT
	SDOT              // arm64 with dot products of bytes
	AVX2              // amd64 with AVX2 and FMA
	VNNI              // amd64 with AVX-512 VNNI
)

// String is the name as people read it.
func (t Tier) String() string {
	switch t {
	case NEON:
		return "neon"
	case SDOT:
		return "sdot"
	case AVX2:
		return "avx2"
	case VNNI:
		return "vnni"
	}
	return "plain"
}

// Fast tells whether a question takes milliseconds, not tens of them.
func (t Tier) Fast() bool { return t != Plain }

// BestTier is the fastest that this machine can run, which models run on.
func BestTier() Tier { return tiers()[0].tier }
