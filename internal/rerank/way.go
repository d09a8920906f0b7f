package rerank

import (
	"context"
	"math"
	"unicode/utf8"
)

// way is how a server wants to be asked, and how it answers: found out by its
// refusals, and kept.
type way struct {
	texts  int  // in a request at most, 0 = as many as there are
	runes  int  // of a text at most, 0 = as it is
	tei    bool // it takes the form of Text Embeddings Inference
	logits bool // its scores are log-odds
}

// leastRunes is what a text is not cut below: a server that refuses so little
// has another trouble.
const leastRunes = 100

func (c *Client) ways() way {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.way
}

func (c *Client) learn(change func(*way)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	change(&c.way)
}

// all asks about the texts, in as many requests as the server wants, and in the
// form that it takes.
func (c *Client) all(ctx context.Context, question string, texts []string) ([]float64, *fault) {
	var out []float64
	for len(out) < len(texts) {
		w := c.ways()
		rest := texts[len(out):]
		if w.texts > 0 {
			rest = rest[:min(w.texts, len(rest))]
		}
		sent, longest := cut(rest, w.runes)
		scores, err := c.once(ctx, question, sent, w.tei)
		switch {
		case err == nil:
			out = append(out, scores...)
		case err.otherForm && !w.tei:
			c.learn(func(w *way) { w.tei = true })
		case err.tooLong && longest/2 >= leastRunes:
			c.learn(func(w *way) { w.runes = longest / 2 })
		case err.tooMany && len(rest) > 1:
			c.learn(func(w *way) { w.texts = (len(rest) + 1) / 2 })
		default:
			return nil, err
		}
	}
	return out, nil
}

// cut shortens texts to so many runes, 0 = not, and gives how many the longest has.
func cut(texts []string, runes int) (out []string, longest int) {
	out = make([]string, len(texts))
	for i, t := range texts {
		n := utf8.RuneCountInString(t)
		if runes > 0 && n > runes {
			t, n = string([]rune(t)[:runes]), runes
		}
		out[i], longest = t, max(longest, n)
	}
	return out, longest
}

// outside is how far a score may be from 0 … 1 that is rounded, and no log-odds.
const outside = 1e-6

// chances makes probabilities of scores. Servers give either these or the
// log-odds that a model ends with (llama.cpp does): a score outside 0 … 1 shows
// the latter, for as long as the client lives.
func (c *Client) chances(scores []float64) []float64 {
	for _, s := range scores {
		if s < -outside || s > 1+outside {
			c.learn(func(w *way) { w.logits = true })
			break
		}
	}
	logits := c.ways().logits
	out := make([]float64, len(scores))
	for i, s := range scores {
		if logits {
			s = 1 / (1 + math.Exp(-s))
		}
		out[i] = min(max(s, 0), 1)
	}
	return out
}
