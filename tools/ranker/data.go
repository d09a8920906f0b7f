package main

import (
	"encoding/gob"
	"fmt"
	"hash/fnv"
	"os"
	"strings"

	"engram/internal/recall"
	"engram/internal/text"
)

// folds is how many parts cross-validation makes.
const folds = 5

// Pool is one question with its candidates, as gob keeps it.
type Pool struct {
	Set, Group, Question, Kind string
	Order                      text.Order
	Encoded                    bool  // it is ranked by the encoder too
	Gold                       []int // grades of all gold, also of what was not found
	Candidates                 []Candidate
}

// Candidate is one memory of a pool, in the order in which ties are broken.
type Candidate struct {
	ID         int64
	OccurredAt int64
	Kind       recall.Kind
	Grade      int // 0 = not gold
	Inputs     [recall.NumInputs]float32
	Evidence   recall.Evidence
	Features   recall.Features
}

// Data are all pools of all sets.
type Data struct {
	Inputs []string // their names: a file of other inputs is refused
	Pools  []*Pool
}

func readData(path string) (*Data, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	d := &Data{}
	if err := gob.NewDecoder(f).Decode(d); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if strings.Join(d.Inputs, " ") != strings.Join(recall.InputNames[:], " ") {
		return nil, fmt.Errorf("%s was written for other inputs: dump anew", path)
	}
	return d, nil
}

func (d *Data) write(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := gob.NewEncoder(f).Encode(d); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// sets gives the names of the sets, in their order.
func (d *Data) sets() []string {
	var out []string
	for _, p := range d.Pools {
		if len(out) == 0 || out[len(out)-1] != p.Set {
			out = append(out, p.Set)
		}
	}
	return out
}

// foldOf gives the fold of every pool: whole groups where a set has enough of
// them, so that no conversation is on both sides, else questions.
func (d *Data) foldOf() map[*Pool]int {
	groups := map[string]map[string]int{} // set → group → its number
	for _, p := range d.Pools {
		if groups[p.Set] == nil {
			groups[p.Set] = map[string]int{}
		}
		if _, ok := groups[p.Set][p.Group]; !ok {
			groups[p.Set][p.Group] = len(groups[p.Set])
		}
	}
	out := map[*Pool]int{}
	for _, p := range d.Pools {
		if g := groups[p.Set]; len(g) >= folds {
			out[p] = g[p.Group] % folds
			continue
		}
		h := fnv.New32a()
		h.Write([]byte(p.subject()))
		out[p] = int(h.Sum32() % folds)
	}
	return out
}

// subject is the same for questions that ask the same in other words or
// languages.
func (p *Pool) subject() string {
	s := strings.TrimPrefix(p.Question, p.Group+"/")
	return strings.TrimSuffix(strings.TrimSuffix(s, ".p"), ".h")
}

// itemKind is that of most candidates.
func (p *Pool) itemKind() recall.Kind {
	var n [recall.Kinds]int
	best := recall.Kind(0)
	for i := range p.Candidates {
		k := p.Candidates[i].Kind
		n[k]++
		if n[k] > n[best] {
			best = k
		}
	}
	return best
}
