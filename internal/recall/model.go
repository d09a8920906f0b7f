package recall

// Model scores the memories of one kind: the log-odds that one answers, by a
// weighted sum of its inputs.
type Model struct {
	Bias    float64
	Weights Inputs
}

// Models are those of all kinds. Their scores can be compared.
type Models [Kinds]Model

func (m *Model) score(in *Inputs) float64 {
	sum := m.Bias
	for i, w := range m.Weights {
		sum += float64(w * in[i]) // converted, so that no platform fuses the two
	}
	return sum
}

// RankBy scores every candidate by its inputs and sorts the pool, best first.
func (p *Pool) RankBy(models *Models) {
	for _, c := range p.Candidates {
		c.Score = models[c.Kind].score(&c.Inputs) + phraseBonus*c.Features.Phrases
	}
	p.sort()
	p.order()
}

// Weights are all that is trained: of the ranker, of the floor (where the model
// knows the language, and where only words count), and how a hit's share of what was
// found becomes its probability.
type Weights struct {
	Models Models
	Judges [2]Judge
	Shares Shares
}

// Trained gives the weights that searches go by: with the encoder's cosines, or by
// those of the built-in table alone.
func Trained(encoded bool) *Weights {
	w := byTable
	if encoded {
		w = byBoth
	}
	return &w
}

func (q *Query) weights() *Weights {
	if q.encoded {
		return &byBoth
	}
	return &byTable
}
