package memory

import (
	"cmp"
	"context"
	"slices"

	"engram"
	"engram/internal/embed"
	"engram/internal/recall"
	"engram/internal/store"
	"engram/internal/text"
)

// Alike is a memory that says nearly what another one says.
type Alike struct {
	ID      int64
	Title   string
	Verdict recall.Verdict // [recall.Same] or [recall.Changed]

	likeness recall.Likeness
}

// How many memories are compared with a new one, those that are nearest by the
// built-in table, how much of each, and how many are named.
const (
	comparedMemories = 12
	comparedBytes    = 4 << 10
	namedAlike       = 3
)

// compare finds what the project says already of what was just saved. The memory
// is stored by then: whatever goes wrong is said, and is no error of the save.
func (s *Service) compare(ctx context.Context, workspace string, m *engram.Memory, r *SaveResult) {
	r.Alike, r.NotCompared = s.alike(ctx, store.Filter{Workspace: workspace, Projects: []string{r.Project}}, r.ID, m)
}

func (s *Service) alike(ctx context.Context, filter store.Filter, id int64, m *engram.Memory) ([]Alike, error) {
	said := recall.Say(saidBy(m))
	if said.Vector() == nil {
		return nil, nil
	}
	near, err := s.store.Keyword(ctx, store.KeywordQuery{
		Filter: filter, Limit: comparedMemories,
		Vectors: []store.QueryVector{{Model: embed.Static().Model(), Unit: said.Vector()}},
	})
	if err != nil {
		return nil, err
	}
	ids := make([]int64, 0, len(near.Hits))
	for i := range near.Hits {
		if h := &near.Hits[i]; h.ID != id && recall.MayBeAlike(float64(h.Cosine[0])) {
			ids = append(ids, h.ID)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	others, err := s.store.MemoriesByID(ctx, filter, ids)
	if err != nil {
		return nil, err
	}
	var found []Alike
	for _, o := range others {
		l := said.Compare(recall.Say(saidBy(o)))
		if v := l.Verdict(); v != recall.Unlike {
			found = append(found, Alike{ID: o.ID, Title: o.Title, Verdict: v, likeness: l})
		}
	}
	slices.SortFunc(found, func(a, b Alike) int {
		return cmp.Or(
			-cmp.Compare(rankOfVerdict(a.Verdict), rankOfVerdict(b.Verdict)),
			-cmp.Compare(a.likeness.Cosine, b.likeness.Cosine), -cmp.Compare(a.ID, b.ID))
	})
	return found[:min(namedAlike, len(found))], nil
}

func rankOfVerdict(v recall.Verdict) int {
	if v == recall.Same {
		return 1
	}
	return 0
}

// saidBy is what a memory says, the beginning of it if it is long. Titles are not
// compared: two memories of one title may well be of two things.
func saidBy(m *engram.Memory) string {
	s, _ := text.SnippetBytes(m.Content, comparedBytes)
	return s
}
