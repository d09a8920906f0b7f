package encoder

// Model is a transformer ready to run. It is not changed after it is made, and may be
// used by several goroutines, each with a [Runner] of its own.
type Model struct {
	shape Shape
	sum   uint32 // of the file
	k     *kernels

	embedding  []byte // int8, Vocab × Dim
	embedScale []byte // float32 of each row of the embedding
	position   []byte // float32, Positions × Dim
	norm       norm
	damped     []damp
	layers     []layer
}

// damp is a channel of the hidden state and what it is multiplied by before it gets
// codes; see [Shape.Sections].
type damp struct {
	channel int
	factor  float32
}

// maxDamped is the most of them: each costs some time.
const maxDamped = 16

// layer is one layer of BERT: attention, then the feed-forward part, each with a residual and
// a normalisation after it (https://arxiv.org/abs/1810.04805).
type layer struct {
	qkv    linear // queries, keys, values of all heads
	output linear // of the attention
	norm1  norm
	up     linear
	down   linear
	norm2  norm
}

// linear computes y = x·wᵀ + bias for n outputs of k inputs; w ≈ scale × codes.
type linear struct {
	n, k  int
	w     []byte  // int8, [n/16][k/4][16][4]
	sum   []int32 // of the codes of each output
	scale []float32
	bias  []float32
}

// norm is a layer normalisation.
type norm struct{ gain, bias []float32 }

// read follows the order of [Shape.Sections].
func (m *Model) read(r *reader) {
	m.embedding = r.bytes(m.shape.Vocab * Dim)
	m.embedScale = r.floatBytes(m.shape.Vocab)
	m.position = r.floatBytes(m.shape.Positions * Dim)
	m.norm = r.norm()
	m.damped = r.damped()
	for range m.shape.Layers {
		m.layers = append(m.layers, layer{
			qkv:    r.linear(3*Dim, Dim),
			output: r.linear(Dim, Dim),
			norm1:  r.norm(),
			up:     r.linear(inner, Dim),
			down:   r.linear(Dim, inner),
			norm2:  r.norm(),
		})
	}
}

func (r *reader) linear(n, k int) linear {
	return linear{n: n, k: k, w: r.weights(n * k), sum: r.int32s(n), scale: r.floats(n), bias: r.floats(n)}
}

func (r *reader) norm() norm { return norm{gain: r.floats(Dim), bias: r.floats(Dim)} }

// Shape tells the model's sizes.
func (m *Model) Shape() Shape { return m.shape }

// Tier tells which kernels the model runs on.
func (m *Model) Tier() Tier { return m.k.tier }

// Checksum is the CRC-32C of the model's file.
func (m *Model) Checksum() uint32 { return m.sum }
