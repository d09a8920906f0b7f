//go:build !noencoder

package encoder

import _ "embed"

// modelFile is made by tools/encoder.
//
//go:embed model/minilm-l6.enc
var modelFile string
