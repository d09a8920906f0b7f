package eval

import (
	"context"
	"fmt"
	"slices"
	"time"

	"engram"
	"engram/internal/service/memory"
)

// RetrievalOptions say what is measured.
type RetrievalOptions struct {
	Dirs     []string // folders of sets
	Open     Opener
	Temp     string           // where stores are made, "" = the system's
	Arms     []string         // only these arms and steps of a search, nil = all
	Progress func(set string) // is told of each set before it is measured, may be nil
}

// RetrievalReport says how well questions find their gold.
type RetrievalReport struct {
	Arms []string    `json:"arms,omitempty"` // nil = all
	Sets []SetReport `json:"sets"`
}

// SetReport is what one set gave.
type SetReport struct {
	Name      string  `json:"name"`
	Documents int     `json:"documents"`
	Scores    Scores  `json:"scores"` // of the ranker: without floor and budget
	Kinds     []Kind  `json:"kinds"`
	Floor     Refusal `json:"floor"`
	Search    Spread  `json:"search"`      // limit 10, floor on
	PerSecond float64 `json:"load_second"` // memories loaded in a second
}

// Kind is what the questions of one kind gave.
type Kind struct {
	Name   string `json:"name"`
	Scores Scores `json:"scores"`
}

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

// Retrieval loads each set into a fresh store through the normal write path and
// asks its questions through the normal search path, each in its group.
func Retrieval(ctx context.Context, opts RetrievalOptions) (RetrievalReport, error) {
	if len(opts.Dirs) == 0 {
		return RetrievalReport{}, engram.Errorf(engram.ErrInvalid, "no set is named").WithCode("set_required").
			WithHint("give the folder of a set: corpus.jsonl, queries.jsonl, qrels.tsv")
	}
	ctx = asBench(ctx)
	r := RetrievalReport{Arms: opts.Arms}
	for _, dir := range opts.Dirs {
		set, err := LoadSet(dir)
		if err != nil {
			return r, err
		}
		if opts.Progress != nil {
			opts.Progress(set.Name)
		}
		report, err := measureSet(ctx, set, opts)
		if err != nil {
			return r, fmt.Errorf("set %s: %w", set.Name, err)
		}
		r.Sets = append(r.Sets, report)
	}
	return r, nil
}

// trial is one set in its store.
type trial struct {
	set     *Set
	product *Product
	arms    []string
	now     time.Time
	names   map[int64]string // memory → document
	last    map[string]time.Time
}

func measureSet(ctx context.Context, set *Set, opts RetrievalOptions) (report SetReport, err error) {
	dir, remove, err := scratch(opts.Temp)
	if err != nil {
		return report, err
	}
	defer remove()
	t := &trial{set: set, arms: opts.Arms, now: time.Now(), names: map[int64]string{}, last: map[string]time.Time{}}
	if t.product, err = opts.Open(ctx, dir, func() time.Time { return t.now }); err != nil {
		return report, err
	}
	defer func() {
		if e := t.product.Close(); err == nil {
			err = e
		}
	}()
	report = SetReport{Name: set.Name, Documents: len(set.Documents)}
	started := time.Now()
	if err := t.load(ctx); err != nil {
		return report, err
	}
	report.PerSecond = float64(len(set.Documents)) / time.Since(started).Seconds()
	return report, t.ask(ctx, &report)
}

// project is a group as a project.
func (t *trial) project(group string) string {
	if group == "" {
		return t.set.Name
	}
	return t.set.Name + "/" + group
}

func (t *trial) load(ctx context.Context) error {
	loaded := t.now
	for part := range slices.Chunk(t.set.Documents, batch) {
		in := make([]memory.SaveInput, len(part))
		for i, d := range part {
			in[i] = memory.SaveInput{
				Title: d.Title, Content: d.Text, Project: t.project(d.Group), Session: d.Session,
				Speaker: d.Speaker, OccurredAt: d.Time,
			}
			if d.Time.IsZero() { // a time of its own keeps equal texts apart
				loaded = loaded.Add(time.Microsecond)
				in[i].OccurredAt = loaded
			}
			t.last[d.Group] = in[i].OccurredAt
		}
		saved, err := t.product.Memory.SaveAll(ctx, in)
		if err != nil {
			return err
		}
		for i, s := range saved {
			t.names[s.ID] = part[i].ID
		}
	}
	return nil
}

func (t *trial) ask(ctx context.Context, report *SetReport) error {
	var times []time.Duration
	var all []Scores
	kinds := map[string][]Scores{}
	floor := &refusals{}
	for _, q := range t.set.Questions {
		// A question without a time is asked when its group has ended.
		if t.now = q.Time; q.Time.IsZero() {
			t.now = t.last[q.Group]
		}
		in := memory.SearchInput{Query: q.Text, Project: t.project(q.Group), Arms: t.arms}
		started := time.Now()
		answer, err := t.product.Memory.Search(ctx, in)
		if err != nil && engram.ErrorCode(err) != "query_required" { // some sets ask nothing, and gold is nothing
			return fmt.Errorf("question %s: %w", q.ID, err)
		}
		times = append(times, time.Since(started))
		gold := t.set.Gold[q.ID]
		floor.add(t.documents(answer)[:min(5, len(answer.Hits))], gold)
		if len(gold) == 0 {
			continue
		}
		in.NoFloor, in.Limit = true, 100
		ranked, err := t.product.Memory.Search(ctx, in)
		if err != nil {
			return fmt.Errorf("question %s: %w", q.ID, err)
		}
		s := score(t.documents(ranked), gold)
		all = append(all, s)
		kinds[q.Kind] = append(kinds[q.Kind], s)
	}
	report.Scores, report.Search, report.Floor = mean(all), spread(times), floor.report()
	for name, scores := range kinds {
		report.Kinds = append(report.Kinds, Kind{name, mean(scores)})
	}
	slices.SortFunc(report.Kinds, func(a, b Kind) int { return compareNames(a.Name, b.Name) })
	return nil
}

func (t *trial) documents(r memory.SearchResult) []string {
	out := make([]string, len(r.Hits))
	for i, h := range r.Hits {
		out[i] = t.names[h.Memory.ID]
	}
	return out
}

// refusals counts what the floor did.
type refusals struct {
	judged, answered, null, refused int
	precision, recall               float64
}

func (f *refusals) add(returned []string, gold map[string]int) {
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
	for _, id := range returned {
		if gold[id] > 0 {
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
