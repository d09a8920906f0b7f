//go:build !amd64 && !arm64

package encoder

// available is empty: this processor has plain Go only.
func available() []*kernels { return nil }
