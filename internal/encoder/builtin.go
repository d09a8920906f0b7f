package encoder

import (
	"sync"
	"unsafe"

	"engram"
)

// Name is the tag of the vectors of the model in the binary: its name, its file's checksum, and the version
// of the way from a text to passages and tokens.
const Name = "minilm-l6-int8@d2816e4d.1"

// Included tells whether the binary has a model: one built with the tag noencoder has none.
func Included() bool { return modelFile != "" }

// Default gives the model in the binary. The first call checks it, which takes some
// milliseconds. The error is an [engram.Error] with the code encoder_unavailable: the binary was built without
// a model, or it is damaged; it is the same for every call.
func Default() (*Model, error) { return builtin() }

var builtin = sync.OnceValues(func() (*Model, error) {
	if !Included() {
		return nil, engram.Errorf(engram.ErrUnavailable, "this build of engram has no encoder").
			WithCode("encoder_unavailable").
			WithHint("use a build without the tag noencoder, or set embedder to static or to a server")
	}
	m, err := Load(fileBytes())
	if err != nil {
		return nil, err
	}
	return m, m.fitsTokenizer()
})

// fileBytes is modelFile where the binary has it. Nobody may write to it.
func fileBytes() []byte { return unsafe.Slice(unsafe.StringData(modelFile), len(modelFile)) }
