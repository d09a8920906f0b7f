//go:build !amd64

package vector

func distances(dst []uint16, signs []uint64, q *quad) { quadDistances(dst, signs, q) }

func wideDistances(dst []uint16, signs, q []uint64) { anyDistances(dst, signs, q) }

// dot multiplies codes; c is int8 each.
func dot(q []int16, c []byte) int64 { return dotCodes(q, c) }
