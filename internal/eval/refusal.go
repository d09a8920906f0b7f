package eval

// Refusal says what the floor did, with at most five hits.
type Refusal struct {
	Judged    int     `json:"judged"`    // questions that have gold
	Answered  float64 `json:"answered"`  // share of them that something was returned for
	Recall5   float64 `json:"recall_5"`  // mean of relevant returned / gold, over them
	Precision float64 `json:"precision"` // mean of relevant returned / returned, over them
	Null      int     `json:"null"`      // questions that have none
	Refused   float64 `json:"refused"`   // share of these that nothing was returned for
	// NoAnswerPrecision is how many of all refused questions have no gold.
	NoAnswerPrecision float64 `json:"no_answer_precision"`
}

// refusals counts what the floor did.
type refusals struct {
	judged, answered, null, refused int
	precision, recall               float64
}

func (f *refusals) add(returned []hit, gold map[string]int) {
	if len(gold) == 0 {
		f.null++
		if len(returned) == 0 {
			f.refused++
		}
		return
	}
	f.judged++
	if len(returned) == 0 {
		return
	}
	f.answered++
	relevant := 0
	for _, h := range returned {
		if gold[h.document] > 0 {
			relevant++
		}
	}
	f.precision += float64(relevant) / float64(len(returned))
	f.recall += float64(relevant) / float64(len(gold))
}

func (f *refusals) report() Refusal {
	share := func(n float64, of int) float64 { return n / float64(max(of, 1)) }
	return Refusal{
		Judged: f.judged, Answered: share(float64(f.answered), f.judged), Precision: share(f.precision, f.judged),
		Recall5: share(f.recall, f.judged),
		Null:    f.null, Refused: share(float64(f.refused), f.null),
		NoAnswerPrecision: share(float64(f.refused), f.refused+f.judged-f.answered),
	}
}
