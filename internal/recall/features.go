package recall

import (
	"math"
	"strings"
	"unicode"

	"engram/internal/embed"
	"engram/internal/text"
)

// Features are what the ranker and the floor look at. BM25 is divided by the
// query's IDF, so that it means the same for every query.
type Features struct {
	Own      float64 `json:"own"`             // BM25 of its own words
	Context  float64 `json:"context"`         // with the turns around it
	Wide     float64 `json:"wide"`            // with more of them
	Coverage float64 `json:"coverage"`        // share of the query's IDF that its own words have
	Names    float64 `json:"names,omitempty"` // … of the names in it
	Words    int     `json:"words"`           // how many of the query's words it has

	Cosine         float64 `json:"cosine"`                    // with the query
	CosineContext  float64 `json:"cosine_context"`            // with the turns around it
	Soft           float64 `json:"soft"`                      // mean cosine of the query's words with the nearest word of its
	SoftContext    float64 `json:"soft_context"`              // … or of the turns around it
	Expanded       float64 `json:"expanded"`                  // BM25 where words that mean nearly the same count too
	ExpandedNear   float64 `json:"expanded_near"`             // … with the turns around it
	Meaning        float64 `json:"meaning,omitempty"`         // cosine by the encoder
	MeaningContext float64 `json:"meaning_context,omitempty"` // with the turns around it
	MeaningSession float64 `json:"meaning_session,omitempty"` // mean of the best of its session

	Lead  float64 `json:"lead"`  // Soft of its first words alone
	Pairs float64 `json:"pairs"` // share of the query's neighbouring words that stand near each other

	Session float64 `json:"session,omitempty"` // mean of the best of its session, by Context
	Length  float64 `json:"length"`            // logarithm of its length in terms

	Speaker Speaker `json:"speaker,omitempty"`
	Asks    bool    `json:"asks,omitempty"`    // has a question
	Answers bool    `json:"answers,omitempty"` // the turn before it has one
	Brief   bool    `json:"brief,omitempty"`   // has few words
	Fits    bool    `json:"fits,omitempty"`    // has what the question asks for: a time, a number, a place, a person

	Phrases float64 `json:"phrases,omitempty"` // share of the quoted phrases that its text has
	Time    float64 `json:"time,omitempty"`    // closeness to the window, 1 inside
	Order   float64 `json:"order,omitempty"`   // place in time among the best, 1 for what was asked for
}

// Speaker says who said a turn.
type Speaker string

// Who may have said a turn.
const (
	NamedSpeaker Speaker = "named"     // somebody whom the query names
	OtherSpeaker Speaker = "other"     // somebody else, where it names a speaker
	Assistant    Speaker = "assistant" // the assistant, in a chat with one
)

// Kind is what sort of thing a memory is, as the ranker sees it.
type Kind uint8

// The kinds of memories.
const (
	Note     Kind = iota // or a document: not said by anybody
	Dialogue             // between people
	Chat                 // with an assistant
	Kinds                // how many there are
)

func (k Kind) String() string { return [...]string{"note", "dialogue", "chat"}[k] }

// MarshalText gives the name of k.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// Inputs are the numbers that the ranker multiplies by its weights.
type Inputs [NumInputs]float64

// The inputs of the ranker. Those that are shares lie between the least of the
// pool, 0, and its best, 1.
const (
	inOwn = iota
	inContext
	inWide
	inCoverage
	inCosine
	inCosineContext
	inSoft
	inSoftContext
	inExpanded
	inExpandedNear
	inSession
	inLead
	inPairs
	inNames
	inLength
	inNamed
	inOther
	inAssistant
	inAsks
	inAnswers
	inBrief
	inFits
	inTime
	inForeignOwn // the same where only words count
	inForeignCoverage
	inForeignLength
	inForeignCosine
	inLongOwn // the same where the query is a long text
	inLongCoverage
	inMeaning // by the encoder
	inMeaningContext
	inMeaningSession
	NumInputs
)

// InputNames name the inputs in their order, as the trace does.
var InputNames = [NumInputs]string{
	"own", "context", "wide", "coverage", "cosine", "cosine_context", "soft", "soft_context", "expanded", "expanded_near",
	"session", "lead", "pairs", "names", "length", "named", "other", "assistant", "asks", "answers", "brief", "fits", "time", "foreign_own", "foreign_coverage", "foreign_length", "foreign_cosine", "long_own", "long_coverage",
	"meaning", "meaning_context", "meaning_session",
}

// pooled are the inputs that are shares of their span over the pool.
var pooled = [...]int{
	inOwn, inContext, inWide, inCosine, inCosineContext, inSoft, inSoftContext, inExpanded, inExpandedNear, inSession,
	inMeaning, inMeaningContext, inMeaningSession,
}

// foreignInputs have a weight of their own where the built-in model is not to be
// trusted, and words are all there is.
var foreignInputs = map[int]int{inOwn: inForeignOwn, inCoverage: inForeignCoverage, inLength: inForeignLength, inCosine: inForeignCosine}

// raw gives the inputs of f before they are compared with the pool's.
func (f *Features) raw() Inputs {
	return Inputs{
		inOwn: f.Own, inContext: f.Context, inWide: f.Wide, inCoverage: f.Coverage,
		inCosine: f.Cosine, inCosineContext: f.CosineContext, inSoft: f.Soft, inSoftContext: f.SoftContext,
		inExpanded: f.Expanded, inExpandedNear: f.ExpandedNear,
		inSession: f.Session, inLead: f.Lead, inPairs: f.Pairs, inNames: f.Names, inLength: f.Length,
		inNamed: truth(f.Speaker == NamedSpeaker), inOther: truth(f.Speaker == OtherSpeaker), inAssistant: truth(f.Speaker == Assistant),
		inAsks: truth(f.Asks), inAnswers: truth(f.Answers), inBrief: truth(f.Brief), inFits: truth(f.Fits),
		inTime:    f.Time,
		inMeaning: f.Meaning, inMeaningContext: f.MeaningContext, inMeaningSession: f.MeaningSession,
	}
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// fill sets the inputs of every candidate.
func (p *Pool) fill() {
	p.sessions()
	var low, high Inputs
	first := true
	for _, c := range p.Candidates {
		c.Inputs = c.Features.raw()
		if c.item == nil {
			continue // nothing is known of it that could be compared
		}
		for _, in := range pooled {
			x := c.Inputs[in]
			if first {
				low[in], high[in] = x, x
			}
			low[in], high[in] = min(low[in], x), max(high[in], x)
		}
		first = false
	}
	trust, long := p.Query.trust, p.Query.long()
	for _, c := range p.Candidates {
		for _, in := range pooled {
			if c.item != nil && high[in] > low[in] {
				c.Inputs[in] = (c.Inputs[in] - low[in]) / (high[in] - low[in])
			} else {
				c.Inputs[in] = 0
			}
		}
		for in, foreign := range foreignInputs {
			c.Inputs[foreign] = (1 - trust) * c.Inputs[in]
		}
		if c.item == nil || !c.item.known { // else another model knows what the built-in one may not
			c.Inputs[inCosine] *= trust
			c.Inputs[inCosineContext] *= trust
		}
		c.Inputs[inMeaning] *= trust
		c.Inputs[inMeaningContext] *= trust
		c.Inputs[inMeaningSession] *= trust
		c.Inputs[inLongOwn], c.Inputs[inLongCoverage] = long*c.Inputs[inOwn], long*c.Inputs[inCoverage]
	}
}

// sessionBest is how many of a session's turns tell what it is about.
const sessionBest = 3

// sessions sets how good the best turns of each candidate's session are.
func (p *Pool) sessions() {
	words := p.bestOfSessions(func(f *Features) float64 { return f.Context })
	for _, c := range p.Candidates {
		c.Features.Session = words[c.session()]
	}
	if !p.Query.encoded {
		return
	}
	meaning := p.bestOfSessions(func(f *Features) float64 { return f.Meaning })
	for _, c := range p.Candidates {
		c.Features.MeaningSession = meaning[c.session()]
	}
}

// bestOfSessions gives the mean of what the best of each session have.
func (p *Pool) bestOfSessions(of func(*Features) float64) map[int]float64 {
	best := map[int][sessionBest]float64{}
	for _, c := range p.Candidates {
		if c.session() == 0 {
			continue
		}
		b, x := best[c.session()], of(&c.Features)
		for i := range b {
			if x > b[i] {
				b[i], x = x, b[i]
			}
		}
		best[c.session()] = b
	}
	means := make(map[int]float64, len(best))
	for session, b := range best {
		for _, x := range b {
			means[session] += x / sessionBest
		}
	}
	return means
}

// wanted says what a question asks for, by what a text has that may answer it.
func wanted(a *text.Query) text.Traits {
	var t text.Traits
	for i := range a.Words {
		t |= askingWords[a.Words[i].Surface]
		if i > 0 && a.Words[i-1].Surface == "how" && countWords[a.Words[i].Surface] {
			t |= text.HasNumber
		}
	}
	return t
}

func logLength(n int) float64 { return math.Log1p(float64(n)) }

func (c *Candidate) session() int {
	if c.item == nil {
		return 0
	}
	return c.item.session
}

// How much of a question's words the built-in model must know to be trusted at
// all, and to be trusted wholly; how far it is where a question of plain letters
// may be English, but is made of names; and how much it must know to be trusted
// against what the language was taken for by a word or two.
const (
	leastKnown  = 0.5
	enoughKnown = 0.8
	namesOnly   = 0.5
	surelyKnown = 0.95
)

// trust is how far the built-in model, which knows English, is to be trusted
// with a question, 0 … 1.
func trust(question, language string, table *embed.Table) float64 {
	known := table.Coverage(question)
	if language != "" && language != "en" && known < surelyKnown {
		return 0
	}
	least := 0.0
	if !strings.ContainsFunc(question, func(r rune) bool { return r > unicode.MaxLatin1 && unicode.IsLetter(r) }) {
		least = namesOnly
	}
	return min(1, max(least, (known-leastKnown)/(enoughKnown-leastKnown)))
}

// From how many words on a query is a long text in part, and wholly.
const (
	longFrom = 8
	longTo   = 32
)

// long is how far q is a text rather than a question, 0 … 1.
func (q *Query) long() float64 {
	return min(1, max(0, float64(q.length()-longFrom)/(longTo-longFrom)))
}
