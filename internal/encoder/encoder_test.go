package encoder

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"engram/internal/embed"
)

var _ embed.Embedder = (*Encoder)(nil)

func TestName(t *testing.T) {
	t.Parallel()
	needModel(t)
	m, err := Default()
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("@%08x.", m.Checksum()); !strings.Contains(Name, want) {
		t.Errorf("Name is %s, the file's checksum is %s", Name, want)
	}
	for id, want := range map[uint16]string{tokenCLS: "[CLS]", tokenSEP: "[SEP]"} {
		if got := embed.Static().Token(id); got != want {
			t.Errorf("token %d is %q, want %q", id, got, want)
		}
	}
}

func TestQuestionMeansWhatTextMeans(t *testing.T) {
	t.Parallel()
	needModel(t)
	e := New()
	texts := []string{
		"We moved the billing service from MySQL to PostgreSQL 16.",
		"No merges after Thursday noon, the branch is closed until the launch.",
		"The cat sleeps on the sofa all day.",
	}
	vectors, err := e.Embed(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	for i, question := range []string{"which database does billing use?", "when is the release freeze?", "what does my pet do?"} {
		q, err := e.Question(t.Context(), question)
		if err != nil {
			t.Fatal(err)
		}
		for j, v := range vectors {
			if j != i && cosine(q, v) >= cosine(q, vectors[i]) {
				t.Errorf("%q is as near to %q as to %q", question, texts[j], texts[i])
			}
		}
	}
}

func TestTextsThatSayNothing(t *testing.T) {
	t.Parallel()
	needModel(t)
	e := New()
	for _, text := range []string{"", " \n\t ", "\x00\x07"} {
		q, err := e.Question(t.Context(), text)
		if q != nil || err != nil {
			t.Errorf("Question(%q) = %d numbers, %v", text, len(q), err)
		}
		p, err := e.Passages(t.Context(), text)
		if len(p) != 0 || err != nil {
			t.Errorf("Passages(%q) = %d vectors, %v", text, len(p), err)
		}
	}
	got, err := e.Embed(t.Context(), []string{"", "tea", " "})
	if err != nil || len(got) != 3 || got[0] != nil || got[1] == nil || got[2] != nil {
		t.Errorf("Embed of nothing, tea, a blank: %d vectors, %v", len(got), err)
	}
}

func TestVectorsAreUnits(t *testing.T) {
	t.Parallel()
	needModel(t)
	e := New()
	long := strings.Repeat("The freeze begins on Thursday at noon, and nobody merges. ", 40)
	vectors, err := e.Embed(t.Context(), []string{"tea", long, "日本語のテキスト"})
	if err != nil {
		t.Fatal(err)
	}
	passages, err := e.Passages(t.Context(), long)
	if err != nil {
		t.Fatal(err)
	}
	if len(passages) < 4 {
		t.Errorf("%d passages of some 500 tokens", len(passages))
	}
	for i, v := range append(vectors, passages...) {
		var sum float64
		for _, x := range v {
			sum += float64(x) * float64(x)
		}
		if len(v) != Dim || math.Abs(sum-1) > 1e-5 {
			t.Errorf("vector %d: %d numbers, the square of its length is %v", i, len(v), sum)
		}
	}
}

func TestCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := New().Passages(ctx, "tea"); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that it was cancelled", err)
	}
}

func TestTogetherAsAlone(t *testing.T) {
	t.Parallel()
	needModel(t)
	e := New()
	var texts []string
	for _, g := range readGolden(t)[:20] {
		texts = append(texts, g.Text)
	}
	together, err := e.Embed(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	for i, text := range texts {
		go func() {
			alone, err := e.Question(t.Context(), text)
			if err == nil && !slices.Equal(alone, together[i]) {
				err = fmt.Errorf("%q has another vector alone", text)
			}
			done <- err
		}()
	}
	for range texts {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}
