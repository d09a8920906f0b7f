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

// Trained gives the models that searches rank by.
func Trained() *Models {
	m := trained
	return &m
}
