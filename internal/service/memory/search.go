package memory

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"engram"
	"engram/internal/embed"
	"engram/internal/policy"
	"engram/internal/recall"
	"engram/internal/store"
	"engram/internal/text"
)

// Limits on what one search looks at and gives.
const (
	defaultSearch = 10
	maxSearch     = 50
	maxMeasured   = 200 // with NoFloor
	poolSize      = 200 // candidates of an arm
	deepPool      = 1000
	phrasePool    = 50 // candidates whose texts are searched for quoted phrases
)

// StepRerank is a step that an ablation may leave out, as it may an arm.
const StepRerank = "rerank"

// steps are the arms and steps of a search by name.
var steps = []string{recall.ArmKeyword, recall.ArmVector, recall.ArmTime, StepRerank}

// Steps are the names that [SearchInput].Arms may hold, the first of which finds
// most.
func Steps() []string { return slices.Clone(steps) }

// Search finds memories that answer a question, best first. Where none clears
// the floor it gives none and says so.
func (s *Service) Search(ctx context.Context, in SearchInput) (SearchResult, error) {
	f, err := s.find(ctx, in, defaultSearch)
	if err != nil {
		return SearchResult{}, err
	}
	r, err := f.hits(ctx)
	if err != nil {
		return SearchResult{}, err
	}
	f.count(r.Hits)
	return r, nil
}

// Pool ranks for a question and gives all that was found: for measuring and for
// training the ranker. It reads no texts and counts no access.
func (s *Service) Pool(ctx context.Context, in SearchInput) (*recall.Pool, error) {
	f, err := s.find(ctx, in, defaultSearch)
	if err != nil {
		return nil, err
	}
	return f.pool, nil
}

// finding is one search under way.
type finding struct {
	s      *Service
	in     SearchInput
	filter store.Filter
	query  *recall.Query
	pool   *recall.Pool

	meaning  <-chan meaning // nil = nobody is asked
	warnings []string
	reranker *recall.TraceReranker // what came of asking it; nil = there is none
}

// find authorises, validates and ranks.
func (s *Service) find(ctx context.Context, in SearchInput, limit int) (*finding, error) {
	actor, err := policy.Check(ctx, policy.ReadMemory)
	if err != nil {
		return nil, err
	}
	f := &finding{s: s, in: in, filter: store.Filter{Workspace: actor.Workspace}}
	if err := f.validate(limit); err != nil {
		return nil, err
	}
	if f.filter.Types, err = lines(s.cleaner(), in.Types); err != nil {
		return nil, err
	}
	f.filter.AsOf = stamp(in.AsOf)
	if f.filter.Scopes, err = scopes(in.Scope); err != nil {
		return nil, err
	}
	if err := s.projectFilter(ctx, &f.filter, in.Project, in.AllProjects); err != nil {
		return nil, err
	}
	if f.does(recall.ArmVector) {
		f.meaning = s.askMeaning(ctx, s.opts.Meanings, in.Query)
	}
	f.query = recall.Analyse(in.Query, recall.Options{Now: s.now(), Zone: s.opts.Zone, MatchAll: in.MatchAll})
	if f.query.Cut && in.MatchAll {
		return nil, queryTooLong()
	}
	if !f.does(recall.ArmTime) {
		f.query.ForgetTime()
	}
	if !f.does(recall.ArmKeyword) {
		f.query.ForgetWords()
	}
	if f.does(recall.ArmVector) {
		f.query.Mean(embed.Static())
	}
	arms, err := f.arms(ctx)
	if err != nil {
		return nil, err
	}
	if f.query.Cut {
		f.warnings = append(f.warnings, queryCut())
	}
	f.pool = recall.Fuse(f.query, arms...)
	return f, f.rank(ctx)
}

// queryTooLong says that not every word of a query would be looked for, where
// every word was asked for.
func queryTooLong() error {
	return engram.Errorf(engram.ErrInvalid, "the query has more than the %d words that are looked for, and every word was asked for", text.MaxQueryWords).
		WithCode("query_too_long").WithHint("ask for any of its words instead of all, or in fewer words")
}

// queryCut says the same of a query of which any word will do.
func queryCut() string {
	return fmt.Sprintf("query_cut: only the first %d words of the query were looked for", text.MaxQueryWords)
}

func (f *finding) validate(limit int) error {
	if strings.TrimSpace(f.in.Query) == "" {
		return engram.Errorf(engram.ErrInvalid, "query is empty").WithCode("query_required").
			WithHint("say what to look for")
	}
	most := maxSearch
	if f.in.NoFloor {
		most = maxMeasured
	}
	if f.in.Limit < 0 || f.in.Limit > most {
		return engram.Errorf(engram.ErrInvalid, "limit is %d, it must be 1 to %d", f.in.Limit, most).
			WithCode("invalid_limit")
	}
	f.in.Limit = cmp.Or(f.in.Limit, limit)
	for _, name := range f.in.Arms {
		if !slices.Contains(steps, name) {
			return engram.Errorf(engram.ErrInvalid, "arm %q is not known", name).WithCode("invalid_arm").
				WithHint("use %s", strings.Join(steps, ", "))
		}
	}
	return nil
}

// does reports whether an arm or a step takes part.
func (f *finding) does(name string) bool {
	return len(f.in.Arms) == 0 || slices.Contains(f.in.Arms, name)
}

func (f *finding) poolSize() int {
	if f.in.Deep {
		return deepPool
	}
	return poolSize
}

// arms lets every arm draw its candidates.
func (f *finding) arms(ctx context.Context) ([]recall.Arm, error) {
	var arms []recall.Arm
	if f.draws() {
		found, err := f.keyword(ctx)
		if err != nil {
			return nil, err
		}
		arms = append(arms, recall.Arms(f.query, found)...)
	}
	if f.does(recall.ArmTime) && f.query.HasTime() {
		from, to := f.query.Bounds()
		ids, err := f.s.store.InWindow(ctx, f.filter, from, to, f.query.Oldest(), f.poolSize())
		if err != nil {
			return nil, err
		}
		arms = append(arms, recall.TimeArm(ids))
	}
	return arms, nil
}

// draws reports whether words, or what they mean, draw candidates.
func (f *finding) draws() bool {
	return f.query.HasWords() && (f.does(recall.ArmKeyword) || f.does(recall.ArmVector))
}

// keyword draws candidates by words. Where no memory has a word, others are put in
// its place before anything is looked for.
func (f *finding) keyword(ctx context.Context) (*store.KeywordResult, error) {
	st := f.s.store
	counts, err := st.Keyword(ctx, store.KeywordQuery{Filter: f.filter, Terms: f.query.Terms})
	if err != nil {
		return nil, err
	}
	for _, l := range f.query.Lookups(counts) {
		if err := f.standIn(ctx, l); err != nil {
			return nil, err
		}
	}
	if f.meaning != nil {
		m := <-f.meaning
		f.meaning = nil
		f.query.Hear(m.vectors)
		f.warnings = append(f.warnings, m.warnings...)
	}
	return st.Keyword(ctx, f.query.Keyword(f.filter, f.poolSize()))
}

// standIn looks for terms that may stand in for a word.
func (f *finding) standIn(ctx context.Context, l recall.Lookup) error {
	st := f.s.store
	if l.Prefix != "" {
		terms, err := st.PrefixTerms(ctx, l.Prefix, l.Limit)
		if err != nil || f.query.Begin(l, terms) {
			return err
		}
	}
	if l.Similar != "" {
		terms, err := st.SimilarTerms(ctx, l.Similar, l.Limit)
		if err != nil || f.query.Resemble(l, terms) {
			return err
		}
	}
	if len(l.Pieces) == 0 {
		return nil
	}
	q := store.KeywordQuery{Filter: f.filter, Terms: make([]store.Term, len(l.Pieces))}
	for i, p := range l.Pieces {
		q.Terms[i].Text = p // of no weight: only how many have it is asked
	}
	r, err := st.Keyword(ctx, q)
	if err != nil {
		return err
	}
	f.query.Compose(l, r.DF)
	return nil
}

// rank puts the pool in order.
func (f *finding) rank(ctx context.Context) error {
	if !f.does(StepRerank) {
		f.pool.RankByArms()
		return nil
	}
	f.pool.Rank()
	if err := f.lookForPhrases(ctx); err != nil {
		return err
	}
	return f.rerank(ctx)
}

// lookForPhrases has a second look at the texts of the best where the query has
// quoted phrases.
func (f *finding) lookForPhrases(ctx context.Context) error {
	if len(f.query.Phrases) == 0 {
		return nil
	}
	best := f.pool.Candidates[:min(phrasePool, len(f.pool.Candidates))]
	ms, err := f.s.store.MemoriesByID(ctx, f.filter, ids(best))
	if err != nil {
		return err
	}
	r := newPhraseReader(f.query.Phrases, ms)
	if err := r.read(ctx); err != nil {
		return err
	}
	for i, m := range ms {
		f.pool.MarkPhrases(m.ID, r.has(i))
	}
	f.pool.Rank()
	return nil
}

func ids(cs []*recall.Candidate) []int64 {
	out := make([]int64, len(cs))
	for i, c := range cs {
		out[i] = c.ID
	}
	return out
}

// hits reads the best of what cleared the floor.
func (f *finding) hits(ctx context.Context) (SearchResult, error) {
	r := SearchResult{Answer: f.pool.Answer(), Warnings: f.warnings}
	if len(f.filter.Projects) > 0 {
		r.Project = f.filter.Projects[0]
	}
	passed := f.pool.Candidates
	if !f.in.NoFloor {
		passed = f.pool.Passed()
	}
	passed = passed[:min(f.in.Limit, len(passed))]
	ms, err := f.s.store.MemoriesByID(ctx, f.filter, ids(passed))
	if err != nil {
		return r, err
	}
	byID := make(map[int64]*recall.Candidate, len(passed))
	for _, c := range passed {
		byID[c.ID] = c
	}
	for _, m := range ms {
		r.Hits = append(r.Hits, Hit{Memory: m, Probability: byID[m.ID].Probability})
	}
	r.NoAnswer = len(r.Hits) == 0
	if f.in.Explain {
		r.Trace = f.pool.Trace()
		r.Trace.Warnings, r.Trace.Reranker = f.warnings, f.reranker
		r.Trace.Close(passed, func(id int64) bool {
			return slices.ContainsFunc(ms, func(m *engram.Memory) bool { return m.ID == id })
		})
	}
	if r.NoAnswer && r.Project != "" {
		r.SimilarProjects, err = f.s.similarProjects(ctx, f.filter.Workspace, r.Project)
	}
	return r, err
}

// count counts an access on each hit, away from the answer's path. Measuring
// counts none.
func (f *finding) count(hits []Hit) {
	if f.in.NoFloor || len(hits) == 0 {
		return
	}
	found := make([]int64, len(hits))
	for i, h := range hits {
		found[i] = h.Memory.ID
	}
	f.s.accesses.add(f.s.store, access{f.filter.Workspace, found, f.s.now()})
}
