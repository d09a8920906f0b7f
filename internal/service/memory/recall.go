package memory

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"engram"
	"engram/internal/recall"
	"engram/internal/text"
)

// The token budget of a recall, and how many hits are packed at most.
const (
	defaultBudget = 2000
	minBudget     = 50
	maxBudget     = 32000
	defaultRecall = 20
)

// Recall packs what answers a question into a token budget.
func (s *Service) Recall(ctx context.Context, in RecallInput) (RecallResult, error) {
	f, r, err := s.recall(ctx, in)
	if err != nil {
		return RecallResult{}, err
	}
	f.count(r.Hits)
	return r, nil
}

func (in *RecallInput) budget() int { return cmp.Or(in.Budget, defaultBudget) }

// recall is Recall that counts no access.
func (s *Service) recall(ctx context.Context, in RecallInput) (*finding, RecallResult, error) {
	budget := in.budget()
	if budget < minBudget || budget > maxBudget {
		return nil, RecallResult{}, engram.Errorf(engram.ErrInvalid, "budget is %d tokens, it must be %d to %d", in.Budget, minBudget, maxBudget).
			WithCode("invalid_budget")
	}
	f, err := s.find(ctx, in.SearchInput, defaultRecall)
	if err != nil {
		return nil, RecallResult{}, err
	}
	f.pool.Beside = recall.Beside
	found, err := f.hits(ctx)
	if err != nil {
		return nil, RecallResult{}, err
	}
	return f, f.pack(found, budget), nil
}

// pack chooses hits for the budget and writes them down.
func (f *finding) pack(found SearchResult, budget int) RecallResult {
	items := make([]recall.Item, len(found.Hits))
	for i, h := range found.Hits {
		items[i] = recall.Item{
			Text: f.passage(h.Memory, budget), Relevance: h.Probability,
			Importance: h.Memory.Importance, OccurredAt: h.Memory.OccurredAt,
		}
	}
	choose := recall.Pack
	if f.query.Order != text.None {
		choose = recall.PackInOrder
	}
	packing := choose(items, budget, f.s.now())
	r := RecallResult{SearchResult: found}
	r.Hits = nil
	var passages []string
	for _, p := range packing {
		if !p.Kept {
			r.OverBudget++
			continue
		}
		r.Hits = append(r.Hits, found.Hits[p.Index])
		passages = append(passages, items[p.Index].Text)
	}
	r.Text = strings.Join(passages, "\n\n")
	r.Tokens = recall.Tokens(r.Text)
	if r.Trace != nil {
		r.Trace.Pack(packing, func(i int) int64 { return found.Hits[i].Memory.ID })
	}
	return r
}

// passage is a memory as a model reads it: id, date, who or what, and the text.
// One that is longer than half the budget is cut around the words of the query,
// and says so.
func (f *finding) passage(m *engram.Memory, budget int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "#%d (%s)", m.ID, m.OccurredAt.In(f.s.opts.Zone).Format("2006-01-02"))
	switch {
	case m.IsTurn():
		fmt.Fprintf(&b, " %s: ", cmp.Or(m.Speaker, m.Role))
	case text.TitleOf(m.Title, m.Content):
		b.WriteString(" ")
	default:
		fmt.Fprintf(&b, " %s\n", m.Title)
	}
	content, cut := f.around(m.Content, budget/2-recall.Tokens(b.String())-cutTokens)
	b.WriteString(content)
	if cut {
		fmt.Fprintf(&b, " [cut; the whole text is #%d]", m.ID)
	}
	return b.String()
}

// around cuts a content of more than so many tokens around the words of the query.
func (f *finding) around(content string, room int) (part string, cut bool) {
	tokens := recall.Tokens(content)
	if tokens <= room {
		return content, false
	}
	runes := utf8.RuneCountInString(content)
	part, _ = text.SnippetAround(content, f.query.Surfaces(), max(1, runes*room/tokens))
	return part, true
}

// cutTokens is about what the note on a cut text takes.
const cutTokens = 12
