package eval

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"engram/internal/embed"
	"engram/internal/service/memory"
)

// generator makes memories that behave like real ones to an index and to an
// embedder: English words by Zipf's law with function words between them, a topic
// that some of a session's words keep to, names of code and tickets that are
// nowhere else. It gives the same for the same seed and embedder.
type generator struct {
	rand    *rand.Rand
	words   []string // by how common they are
	zipf    *rand.Zipf
	names   []string
	current session
	made    int // sessions so far
	now     time.Time
	seen    [64]string // the latest names of code and tickets
	seenAt  int
}

// session is what memories that follow each other have in common.
type session struct {
	id, project string
	left        int      // memories to come
	speakers    []string // of a conversation, nil for notes
	topic       []string
}

// What is generated.
const (
	projectsOf   = 20
	commonWords  = 40 // the most frequent ones, which common questions are made of
	rareFrom     = 6000
	turnsOf      = 20 // memories of a conversation, which is every other session …
	notesOf      = 46 // … and of a session of notes, so that three memories of ten are turns
	meanLength   = 400
	shortestTurn = 160
	longestTurn  = 560
	shortestNote = 260
	longestNote  = 580
)

// functionWords stand between the others as in English.
var functionWords = strings.Fields(`the of and to in a is that for it was on with as at by this be from have or had not but what are when
which their we one all there an been has more if will would who about so them can only other new some could time these two may`)

// The shares in a hundred words of a sentence; the rest are words by Zipf's law.
const (
	functionShare = 45
	topicShare    = 18
	nameShare     = 3
)

var noteTypes = []string{"decision", "discovery", "bugfix", "pattern", "manual"}

func newGenerator(seed uint64) *generator {
	r := rand.New(rand.NewPCG(seed, seed^0x9e3779b97f4a7c15))
	g := &generator{rand: r, words: vocabulary(), now: time.Now().Add(-365 * 24 * time.Hour)}
	g.zipf = rand.NewZipf(r, 1.08, 3, uint64(len(g.words)-1))
	for range 200 {
		name := g.words[rareFrom+r.IntN(len(g.words)-rareFrom)]
		g.names = append(g.names, strings.ToUpper(name[:1])+name[1:])
	}
	for i := range g.seen {
		g.seen[i] = g.words[i]
	}
	return g
}

// vocabulary is the embedder's whole words, which its table has in the order of
// how common they are.
func vocabulary() []string {
	table := embed.Static()
	var words []string
	for i := range table.Len() {
		w := table.Token(uint16(i))
		if len(w) > 2 && strings.Trim(w, "abcdefghijklmnopqrstuvwxyz") == "" && !slices.Contains(functionWords, w) {
			words = append(words, w)
		}
	}
	return words
}

func (g *generator) pick(from []string) string { return from[g.rand.IntN(len(from))] }

// word is a word of the vocabulary, the more often the more common it is.
func (g *generator) word() string { return g.words[g.zipf.Uint64()] }

func (g *generator) project() string {
	i := g.rand.IntN(projectsOf)
	return g.words[200+i] + "-" + g.words[400+i]
}

// input is the next memory. Those of a session follow each other.
func (g *generator) input() memory.SaveInput {
	if g.current.left == 0 {
		g.begin()
	}
	s := &g.current
	s.left--
	g.now = g.now.Add(30 * time.Second)
	in := memory.SaveInput{Project: s.project, Session: s.id, OccurredAt: g.now}
	if s.speakers != nil {
		in.Speaker = s.speakers[s.left%len(s.speakers)]
		in.Content = g.text(shortestTurn, longestTurn)
		return in
	}
	in.Title, in.Type, in.Content = g.sentence(), g.pick(noteTypes), g.text(shortestNote, longestNote)
	return in
}

// begin begins a session: by turns a conversation and notes.
func (g *generator) begin() {
	g.made++
	g.current = session{id: fmt.Sprintf("session-%d", g.made), project: g.project(), left: notesOf}
	if g.made%2 == 0 {
		g.current.left = turnsOf
		g.current.speakers = []string{g.pick(g.names), g.pick(g.names)}
	}
	word := g.words[commonWords+g.rand.IntN(rareFrom)]
	g.current.topic = []string{word}
	for w := range embed.Static().RelatedWords(word) {
		g.current.topic = append(g.current.topic, w)
	}
}

// text is sentences of some characters, from least to most.
func (g *generator) text(least, most int) string {
	length := least + g.rand.IntN(most-least) - meanLength/10 // the last sentence goes over it
	var b strings.Builder
	for b.Len() < length {
		if b.Len() > 0 {
			b.WriteString(" ")
		}
		b.WriteString(g.sentence())
	}
	return b.String()
}

func (g *generator) sentence() string {
	words := make([]string, 6+g.rand.IntN(9))
	for i := range words {
		switch n := g.rand.IntN(100); {
		case n < functionShare:
			words[i] = g.pick(functionWords)
		case n < functionShare+topicShare:
			words[i] = g.pick(g.current.topic)
		case n < functionShare+topicShare+nameShare:
			words[i] = g.name()
		default:
			words[i] = g.word()
		}
	}
	s := strings.Join(words, " ") + "."
	return strings.ToUpper(s[:1]) + s[1:]
}

// name is that of a person, a function, a ticket or a version.
func (g *generator) name() string {
	title := func(w string) string { return strings.ToUpper(w[:1]) + w[1:] }
	var name string
	switch g.rand.IntN(4) {
	case 0:
		return g.pick(g.names)
	case 1:
		name = g.word() + title(g.word()) + title(g.word())
	case 2:
		name = fmt.Sprintf("ENG-%d", 1000+g.rand.IntN(1_000_000))
	case 3:
		name = g.word() + "_" + g.word()
	}
	g.seen[g.seenAt%len(g.seen)] = name
	g.seenAt++
	return name
}

// misspelt is a word with two letters in each other's place, as fingers do it.
func (g *generator) misspelt() string {
	w := []byte(g.word())
	if len(w) < 5 {
		return string(w)
	}
	i := 1 + g.rand.IntN(len(w)-2)
	w[i], w[i+1] = w[i+1], w[i]
	return string(w)
}

// question is one as people ask it.
type question func(g *generator) string

// natural asks for some words, one in ten of them misspelt.
func natural(g *generator) string {
	return g.ask(func() string {
		if g.rand.IntN(10) == 0 {
			return g.misspelt()
		}
		return g.word()
	})
}

// common asks only for words that most texts have.
func common(g *generator) string {
	return g.ask(func() string { return g.words[g.rand.IntN(commonWords)] })
}

// rare asks for words and names that few texts have.
func rare(g *generator) string {
	return g.ask(func() string {
		if g.rand.IntN(3) == 0 {
			return g.pick(g.seen[:])
		}
		return g.words[rareFrom+g.rand.IntN(len(g.words)-rareFrom)]
	})
}

func (g *generator) ask(word func() string) string {
	switch g.rand.IntN(5) {
	case 0:
		return "what did we decide about the " + word() + " " + word() + " and why"
	case 1:
		return "how does " + word() + " work with " + word() + " in the " + word()
	case 2:
		return "when was the " + word() + " of " + word() + " changed"
	case 3:
		return word() + " " + word() + " " + word()
	}
	return "where is the " + word() + " for " + word() + " and who has " + word()
}
