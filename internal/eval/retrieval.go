package eval

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"engram"
)

// RetrievalOptions say what is measured.
type RetrievalOptions struct {
	Dirs []string // folders of sets
	Open Opener
	Temp string   // where stores are made, "" = the system's
	Arms []string // only these arms and steps of a search, nil = all
	// Ablation asks the questions once more with each of Combinations.
	Ablation bool
	// Server, if it is not nil, is measured in place of a product of our own. It
	// gives what clears the floor only, as many as [ServerLimit], and tells the
	// time itself.
	Server   Server
	Progress func(step string) // is told what is being done, may be nil
}

// RetrievalReport says how well questions find their gold.
type RetrievalReport struct {
	Arms   []string    `json:"arms,omitempty"`   // nil = all
	Server bool        `json:"server,omitempty"` // measured from outside: ranks are those with the floor on
	Sets   []SetReport `json:"sets"`
	// Reliability is over the questions of all sets, nil where a part of the arms
	// was measured, or a server.
	Reliability *Reliability `json:"reliability,omitempty"`
}

// SetReport is what one set gave.
type SetReport struct {
	Name        string       `json:"name"`
	Documents   int          `json:"documents"`
	Scores      Scores       `json:"scores"` // of the ranker: without floor and budget
	Kinds       []Kind       `json:"kinds"`
	Floor       Refusal      `json:"floor"`
	Search      Spread       `json:"search"`      // limit 10, floor on
	PerSecond   float64      `json:"load_second"` // memories loaded in a second
	Ablation    []Part       `json:"ablation,omitempty"`
	Reliability *Reliability `json:"reliability,omitempty"`
}

// Kind is what the questions of one kind gave.
type Kind struct {
	Name   string  `json:"name"`
	Scores Scores  `json:"scores"`
	Floor  Refusal `json:"floor"`
}

// Retrieval loads each set into a fresh store through the normal write path and
// asks its questions through the normal search path, each in its group.
func Retrieval(ctx context.Context, opts RetrievalOptions) (RetrievalReport, error) {
	r := RetrievalReport{Arms: opts.Arms, Server: opts.Server != nil}
	if len(opts.Dirs) == 0 {
		return r, engram.Errorf(engram.ErrInvalid, "no set is named").WithCode("set_required").
			WithHint("give the folder of a set: corpus.jsonl, queries.jsonl, qrels.tsv")
	}
	if len(opts.Arms) > 0 && (opts.Ablation || r.Server) || opts.Ablation && r.Server {
		return r, engram.Errorf(engram.ErrInvalid, "arms, the ablation and a server exclude each other").WithCode("invalid_arm").
			WithHint("a server searches with all arms; the ablation has combinations of its own")
	}
	ctx = asBench(ctx)
	for _, dir := range opts.Dirs {
		set, err := LoadSet(dir)
		if err != nil {
			return r, err
		}
		report, err := measureSet(ctx, set, opts)
		if err != nil {
			return r, fmt.Errorf("set %s: %w", set.Name, err)
		}
		r.Sets = append(r.Sets, report)
	}
	r.Reliability = joinReliability(r.Sets)
	return r, nil
}

func (o RetrievalOptions) say(format string, args ...any) {
	if o.Progress != nil {
		o.Progress(fmt.Sprintf(format, args...))
	}
}

// subject is what is measured: a product of our own, or a server.
type subject interface {
	// load takes in the documents of a set.
	load(ctx context.Context, set *Set) error
	// ask gives what a search of the user finds, best first.
	ask(ctx context.Context, q *Question) ([]hit, error)
	// rank gives what the ranker finds, to a depth of 100 where it can.
	rank(ctx context.Context, q *Question, arms []string) ([]hit, error)
	close() error
}

// hit is a document that was found, the probability that it is an answer, and that
// there is one among the best.
type hit struct {
	document    string
	probability float64
	answer      float64
}

func measureSet(ctx context.Context, set *Set, opts RetrievalOptions) (report SetReport, err error) {
	subject, err := newSubject(ctx, opts)
	if err != nil {
		return report, err
	}
	defer func() {
		if e := subject.close(); err == nil {
			err = e
		}
	}()
	t := &trial{set: set, opts: opts, subject: subject}
	return t.run(ctx)
}

func newSubject(ctx context.Context, opts RetrievalOptions) (subject, error) {
	if opts.Server != nil {
		return &remote{server: opts.Server}, nil
	}
	return newLocal(ctx, opts)
}

// trial is one set under way.
type trial struct {
	set     *Set
	opts    RetrievalOptions
	subject subject
}

func (t *trial) run(ctx context.Context) (SetReport, error) {
	r := SetReport{Name: t.set.Name, Documents: len(t.set.Documents)}
	t.opts.say("%s: load %d documents", r.Name, r.Documents)
	took, err := timed(func() error { return t.subject.load(ctx, t.set) })
	if err != nil {
		return r, err
	}
	r.PerSecond = float64(r.Documents) / took.Seconds()
	t.opts.say("%s: ask %d questions", r.Name, len(t.set.Questions))
	if err := t.ask(ctx, &r); err != nil {
		return r, err
	}
	if t.opts.Ablation {
		return r, t.ablate(ctx, &r)
	}
	return r, nil
}

// tally is what some questions gave.
type tally struct {
	scores   []Scores
	refusals refusals
}

func (t *trial) ask(ctx context.Context, r *SetReport) error {
	var all tally
	var times times
	var reliability Reliability
	kinds := map[string]*tally{}
	for i := range t.set.Questions {
		q := &t.set.Questions[i]
		gold := t.set.Gold[q.ID]
		if kinds[q.Kind] == nil {
			kinds[q.Kind] = new(tally)
		}
		shown, ranked, took, err := t.question(ctx, q)
		if err != nil {
			return fmt.Errorf("question %s: %w", q.ID, err)
		}
		if asks(q) {
			times = append(times, took)
			reliability.add(top(ranked, 5), gold)
		}
		for _, one := range []*tally{&all, kinds[q.Kind]} {
			one.refusals.add(top(shown, 5), gold)
		}
		if len(gold) == 0 {
			continue
		}
		for _, one := range []*tally{&all, kinds[q.Kind]} {
			one.scores = append(one.scores, score(documents(ranked), gold))
		}
	}
	r.Scores, r.Floor, r.Search = mean(all.scores), all.refusals.report(), times.spread()
	for name, one := range kinds {
		r.Kinds = append(r.Kinds, Kind{name, mean(one.scores), one.refusals.report()})
	}
	slices.SortFunc(r.Kinds, func(a, b Kind) int { return compareNames(a.Name, b.Name) })
	if len(t.opts.Arms) == 0 && t.opts.Server == nil { // with all that was found
		r.Reliability = reliability.close()
	}
	return nil
}

// question asks q as a user does and as the ranker is measured. took is how long
// the first takes.
func (t *trial) question(ctx context.Context, q *Question) (shown, ranked []hit, took time.Duration, err error) {
	if !asks(q) {
		return nil, nil, 0, nil
	}
	took, err = timed(func() (err error) {
		shown, err = t.subject.ask(ctx, q)
		return err
	})
	if err != nil {
		return nil, nil, 0, err
	}
	ranked, err = t.subject.rank(ctx, q, t.opts.Arms)
	return shown, ranked, took, err
}

// asks reports whether q asks anything. In some sets some do not, and the right
// answer is none.
func asks(q *Question) bool { return strings.TrimSpace(q.Text) != "" }

func top(hits []hit, n int) []hit { return hits[:min(n, len(hits))] }

func documents(hits []hit) []string {
	out := make([]string, len(hits))
	for i, h := range hits {
		out[i] = h.document
	}
	return out
}
