package recall_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"engram"
	"engram/internal/recall"
)

func featuresOf(t *testing.T, p *recall.Pool, id int64) *recall.Candidate {
	t.Helper()
	for _, c := range p.Candidates {
		if c.ID == id {
			return c
		}
	}
	t.Fatalf("memory %d is not in the pool", id)
	return nil
}

func turn(speaker, role, content string, minute int) engram.Memory {
	return engram.Memory{
		Content: content, Speaker: speaker, Role: role, Session: "s" + role, OccurredAt: now.Add(time.Duration(minute) * time.Minute),
	}
}

// A memory is found, and answers, by words that mean nearly the same.
func TestMeaning(t *testing.T) {
	t.Parallel()
	x := index(notes(
		"We adopted a puppy from the shelter.", "The invoice of the plumber is unpaid.", "Bread needs salt.", "The sea was rough.",
	)...)
	p := find(t, x, "which dog")
	if got := idsOf(p.Candidates); got[0] != 1 {
		t.Errorf("order %v, want 1 first", got)
	}
	near, far := featuresOf(t, p, 1), featuresOf(t, p, 2)
	if f := near.Features; f.Own != 0 || f.Soft <= 0.4 || f.Expanded <= 0 || f.Cosine <= far.Features.Cosine {
		t.Errorf("features of the puppy = %+v", f)
	}
	if e := near.Evidence; e.Coverage != 0 || e.Near <= 0 || near.Probability <= far.Probability {
		t.Errorf("evidence of the puppy = %+v, probability %v, of the invoice %v", e, near.Probability, far.Probability)
	}
}

// Where the built-in model does not know the language, words alone count.
func TestForeignQuestions(t *testing.T) {
	t.Parallel()
	x := index(notes("El perro duerme en la cocina.", "数据库每天凌晨三点备份到归档主机。", "Bread needs salt.")...)
	for question, want := range map[string]int64{"¿dónde duerme el perro de la familia?": 1, "数据库什么时候备份": 2} {
		p := find(t, x, question)
		c := p.Candidates[0]
		if c.ID != want || !c.Evidence.Blind || c.Features.Soft != 0 {
			t.Errorf("%q: first %d, %+v, %+v; want %d by words alone", question, c.ID, c.Evidence, c.Features, want)
		}
		for _, passed := range p.Passed() {
			if passed.Evidence.Coverage == 0 {
				t.Errorf("%q: memory %d passed without a word", question, passed.ID)
			}
		}
	}
	if c := find(t, x, "k8s?").Candidates; len(c) > 0 && c[0].Evidence.Blind {
		t.Errorf("a name in plain letters is taken for another language")
	}
}

// What kind of thing a memory is, the store knows: who said it, and in whose
// company.
func TestKinds(t *testing.T) {
	t.Parallel()
	x := index(
		turn("Ann", "", "The ferry leaves at nine.", 0),
		turn("Ben", "", "Is the ferry late?", 1),
		turn("", "user", "When does the ferry leave?", 0),
		turn("", "assistant", "The ferry leaves at nine.", 1),
		engram.Memory{Content: "The ferry leaves at nine.", Session: "s"},
	)
	p := find(t, x, "what did Ben say of the ferry")
	for id, want := range map[int64]struct {
		kind    recall.Kind
		speaker recall.Speaker
	}{
		1: {recall.Dialogue, recall.OtherSpeaker},
		2: {recall.Dialogue, recall.NamedSpeaker},
		3: {recall.Chat, ""},
		4: {recall.Chat, recall.Assistant},
		5: {recall.Note, ""},
	} {
		if c := featuresOf(t, p, id); c.Kind != want.kind || c.Features.Speaker != want.speaker {
			t.Errorf("memory %d is %s by %q, want %s by %q", id, c.Kind, c.Features.Speaker, want.kind, want.speaker)
		}
	}
}

func TestFormOfTurns(t *testing.T) {
	t.Parallel()
	x := index(
		turn("Ann", "", "When do you leave for the island?", 0),
		turn("Ben", "", "On Friday morning, with the first ferry to the island.", 1),
		turn("Ann", "", "The island is lovely and I envy you.", 2),
	)
	p := find(t, x, "when does Ben leave for the island")
	if f := featuresOf(t, p, 1).Features; !f.Asks || f.Answers || f.Fits {
		t.Errorf("the question: %+v", f)
	}
	if f := featuresOf(t, p, 2).Features; f.Asks || !f.Answers || !f.Fits {
		t.Errorf("the answer: %+v", f)
	}
	if f := featuresOf(t, p, 3).Features; f.Fits || f.Session <= 0 || f.Wide <= f.Own {
		t.Errorf("the turn after: %+v", f)
	}
}

// Words that stand together count for more, and what a text begins with.
func TestPlacesOfWords(t *testing.T) {
	t.Parallel()
	filler := " and many other things that nobody asked about were seen on that long day by all of us there"
	x := index(notes(
		"The retry queue is bound"+filler, "A queue formed"+filler+", and we had to retry", "Bread needs salt.",
	)...)
	p := find(t, x, "retry queue")
	together, apart := featuresOf(t, p, 1).Features, featuresOf(t, p, 2).Features
	if together.Pairs != 1 || apart.Pairs != 0 || together.Lead <= apart.Lead {
		t.Errorf("together %+v, apart %+v", together, apart)
	}
	if got := idsOf(p.Candidates); got[0] != 1 {
		t.Errorf("order %v", got)
	}
}

func TestTrained(t *testing.T) {
	t.Parallel()
	if n := len(slices.Compact(slices.Sorted(slices.Values(recall.InputNames[:])))); n != recall.NumInputs || slices.Contains(recall.InputNames[:], "") {
		t.Errorf("%d names of %d inputs", n, recall.NumInputs)
	}
	meaning := slices.Index(recall.InputNames[:], "meaning")
	for _, encoded := range []bool{false, true} {
		models := &recall.Trained(encoded).Models
		for k := range recall.Kinds {
			m := &models[k]
			if m.Weights == (recall.Inputs{}) || math.IsNaN(m.Bias) || (m.Weights[meaning] > 0) != encoded {
				t.Errorf("with the encoder %v: nothing sensible is trained for a %s: %+v", encoded, k, m)
			}
		}
	}
}

func TestProbability(t *testing.T) {
	t.Parallel()
	j := recall.Judge{Bias: -2, Marks: recall.Marks{1, 2, -1, 3}}
	none := recall.Evidence{}
	weak := recall.Evidence{Coverage: .2, Near: .3, Cosine: .1}
	strong := recall.Evidence{Coverage: .4, Near: .6, Cosine: .5}
	whole := recall.Evidence{Coverage: 1, Near: 1}
	if p := j.Probability(&none); p != 0 {
		t.Errorf("of no evidence: %v", p)
	}
	if w, s := j.Probability(&weak), j.Probability(&strong); w <= 0 || s <= w || s >= 1 {
		t.Errorf("weak %v, strong %v", w, s)
	}
	if p := j.Probability(&whole); p < recall.Floor {
		t.Errorf("what says all that was asked has %v", p)
	}
	if p := j.Probability(&recall.Evidence{Blind: true, Cosine: .9}); p != 0 {
		t.Errorf("a cosine of a language that the model does not know gives %v", p)
	}
}
