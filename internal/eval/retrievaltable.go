package eval

import (
	"fmt"
	"io"
	"strings"
)

// WriteTable writes r as text: shares in per cent.
func (r RetrievalReport) WriteTable(w io.Writer) error { return writeText(w, r.tables()) }

// WriteMarkdown writes r as sections of a page.
func (r RetrievalReport) WriteMarkdown(w io.Writer) error { return writeMarkdown(w, r.tables()) }

func (r RetrievalReport) tables() []table {
	out := []table{r.quality(), r.floor()}
	for _, t := range []table{r.kinds(), r.ablation(), r.reliability()} {
		if len(t.rows) > 0 {
			out = append(out, t)
		}
	}
	return out
}

func (r RetrievalReport) quality() table {
	note := "Ranks after the ranker, without floor and budget; shares in per cent."
	switch {
	case r.Server:
		note = fmt.Sprintf("From outside: loaded through the API, the %d best that cleared the floor; shares in per cent.", ServerLimit)
	case len(r.Arms) > 0:
		note = "Only " + strings.Join(r.Arms, ", ") + ". " + note
	}
	t := table{
		title: "By set", note: note + " Times are those of a search of ten with the floor.",
		head: []string{"set", "questions", "R@1", "R@5", "R@10", "R@20", "any@5", "all@5", "any@10", "all@10", "NDCG@10", "MRR", "p50 / p95 ms"},
	}
	for _, s := range r.Sets {
		v := s.Scores
		t.add(s.Name, fmt.Sprint(v.Questions), percents(
			v.Recall1, v.Recall5, v.Recall10, v.Recall20, v.Any5, v.All5, v.Any10, v.All10, v.NDCG10, v.MRR), s.Search.pair())
	}
	return t
}

func percents(shares ...float64) string {
	out := make([]string, len(shares))
	for i, s := range shares {
		out[i] = percent(s)
	}
	return strings.Join(out, "\t")
}

func (r RetrievalReport) floor() table {
	t := table{
		title: "The floor",
		note: "With at most five hits. Answered: share of the questions with gold that anything was returned for. " +
			"Refused: share of those without gold that nothing was returned for. " +
			"No-answer precision: share of all refused questions that have no gold.",
		head: []string{"set", "with gold", "answered", "R@5", "precision", "without", "refused", "no-answer precision"},
	}
	for _, s := range r.Sets {
		t.add(s.Name, s.Floor.columns())
	}
	return t
}

func (f Refusal) columns() string {
	if f.Judged == 0 {
		return fmt.Sprintf("0\t–\t–\t–\t%d\t%s\t%s", f.Null, whole(f.Refused, f.Null), whole(f.NoAnswerPrecision, f.Null))
	}
	return fmt.Sprintf("%d\t%s\t%s\t%s\t%d\t%s\t%s", f.Judged, percent(f.Answered), percent(f.Recall5), percent(f.Precision),
		f.Null, whole(f.Refused, f.Null), whole(f.NoAnswerPrecision, f.Null))
}

func (r RetrievalReport) kinds() table {
	t := table{
		title: "By kind of question", note: "Sets that have several kinds. Kinds without gold are only for the floor.",
		head: []string{"set", "kind", "questions", "R@1", "R@5", "R@10", "all@5", "NDCG@10", "MRR", "answered", "without gold", "refused"},
	}
	for _, s := range r.Sets {
		if len(s.Kinds) < 2 {
			continue
		}
		for _, k := range s.Kinds {
			v, f := k.Scores, k.Floor
			scores := strings.Repeat("–\t", 6) + "–"
			if v.Questions > 0 {
				scores = percents(v.Recall1, v.Recall5, v.Recall10, v.All5, v.NDCG10, v.MRR) + "\t" + percent(f.Answered)
			}
			t.add(s.Name, k.Name, fmt.Sprint(v.Questions), scores, fmt.Sprint(f.Null), whole(f.Refused, f.Null))
		}
	}
	return t
}

// ablation has a column for each combination that all sets have.
func (r RetrievalReport) ablation() table {
	t := table{
		title: "By arm and step", note: "R@5 / NDCG@10 with only these, without the floor.",
		head: []string{"set"},
	}
	for _, s := range r.Sets {
		if len(s.Ablation) == 0 {
			continue
		}
		var cells, names []string
		for _, p := range s.Ablation {
			names = append(names, strings.ReplaceAll(p.Name(), ",", " + "))
			cells = append(cells, percent(p.Scores.Recall5)+" / "+percent(p.Scores.NDCG10))
		}
		t.head = append(t.head[:1], names...)
		t.add(s.Name, cells...)
	}
	return t
}

func (r RetrievalReport) reliability() table {
	t := table{head: []string{"probability", "answers", "predicted", "observed", "hits", "predicted", "observed"}}
	all := r.Reliability
	if all == nil {
		return t
	}
	t.title = "How true the probabilities are"
	t.note = fmt.Sprintf("Over all questions of all sets, in per cent. Answers: the probability that one of the five best "+
		"answers a question, and whether gold is among them (expected calibration error %s). "+
		"Hits: each of these five, and whether it is gold (%s).", percent(all.Answers.Error), percent(all.Hits.Error))
	for i := range all.Answers.Bins {
		t.add(fmt.Sprintf("%d – %d", 10*i, 10*i+10), all.Answers.Bins[i].columns(), all.Hits.Bins[i].columns())
	}
	return t
}

func (b Bin) columns() string {
	if b.Predictions == 0 {
		return "0\t–\t–"
	}
	return thousands(b.Predictions) + "\t" + percents(b.Predicted, b.Observed)
}
