package embed

import "context"

// Embedder makes vectors of texts.
type Embedder interface {
	// Model names the model and its version. Vectors of two models are never
	// compared with each other.
	Model() string
	// Dim is the length of every vector.
	Dim() int
	// Embed gives a vector of length 1 for each text, in order. It is nil for a
	// text that says nothing to the model, such as one of blanks only: such a
	// text is like no other. An error is for all of them.
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}
