package embed

import (
	"crypto/sha256"
	"encoding/hex"
	"math"
	"strings"
	"testing"
)

// TestFiles checks that the files are those that the figures were measured with,
// and that vectors of another table would have another tag.
func TestFiles(t *testing.T) {
	t.Parallel()
	for _, f := range []struct{ name, data, sum string }{
		{"static-en-256.bin", rowsFile, "6aee41f415f35b71852344bde9e56caf0e9d3fe51a271e1da230a9e1e117cbdf"},
		{"vocab.txt", vocabFile, "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"},
		{"neighbours-24.bin", neighboursFile, "01078752ffdd483232eb0f19abebf896ed6622d330bdc48c478176279eaa6a2e"},
	} {
		if got := sha256.Sum256([]byte(f.data)); hex.EncodeToString(got[:]) != f.sum {
			t.Errorf("%s has SHA-256 %x, want %s: a new table needs new sums here, a new staticModel, and measuring", f.name, got, f.sum)
		}
	}
	sum := sha256.Sum256([]byte(rowsFile))
	if want := "static-en-256@" + hex.EncodeToString(sum[:4]) + "."; !strings.HasPrefix(staticModel, want) {
		t.Errorf("staticModel is %s, want %s and a version", staticModel, want)
	}
}

func TestRows(t *testing.T) {
	t.Parallel()
	table := Static()
	if table.Len() != 30522 || table.Dim() != Dim {
		t.Fatalf("%d rows of %d", table.Len(), table.Dim())
	}
	zero := 0
	for i := range table.Len() {
		id := uint16(i)
		s := table.Token(id)
		special := s == "[PAD]" || s == "[UNK]" || s == "[CLS]" || s == "[SEP]" || s == "[MASK]" || strings.HasPrefix(s, "[unused")
		if special == table.Known(id) {
			t.Errorf("token %q: known is %v", s, table.Known(id))
		}
		if special {
			zero++
			if table.Weight(id) != 0 || table.Cosine(id, 7592) != 0 || table.Row(id) != [Dim]float32{} {
				t.Errorf("row of %q is not zero", s)
			}
		}
	}
	if zero != 999 {
		t.Errorf("%d rows are zero, want 999", zero)
	}
	for _, foreign := range []uint16{30522, math.MaxUint16} {
		if table.Known(foreign) || table.Token(foreign) != "" || table.Cosine(foreign, 7592) != 0 {
			t.Errorf("%d is a token", foreign)
		}
		if _, ok := table.TokensVector([]uint16{foreign}); ok {
			t.Errorf("%d has a vector", foreign)
		}
	}
}

// TestVectorIsTheSumOfRows compares the sums in fixed point, over several
// batches, with sums of floating-point rows.
func TestVectorIsTheSumOfRows(t *testing.T) {
	t.Parallel()
	table := Static()
	var tokens []uint16
	for i := range 1000 {
		tokens = append(tokens, uint16(i*29+1000))
	}
	for _, n := range []int{1, 2, 255, 256, 257, 1000} {
		want := make([]float32, Dim)
		for _, id := range tokens[:n] {
			for i, x := range table.Row(id) {
				want[i] += x
			}
		}
		length := math.Sqrt(dot(want, want))
		got, ok := table.TokensVector(tokens[:n])
		if !ok {
			t.Fatalf("no vector of %d tokens", n)
		}
		for i := range want {
			if d := math.Abs(float64(got[i]) - float64(want[i])/length); d > 1e-4 {
				t.Fatalf("%d tokens: component %d is off by %v", n, i, d)
			}
		}
	}
}

func TestEmbed(t *testing.T) {
	t.Parallel()
	var e Embedder = Static()
	got, err := e.Embed(t.Context(), []string{"hello world", "连接池", "Hello, world"})
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 3 || len(got[0]) != e.Dim() || got[1] != nil || dot(got[0], got[2]) < 0.8 {
		t.Errorf("vectors of length %d, %d, %d, cosine %.2f", len(got[0]), len(got[1]), len(got[2]), dot(got[0], got[2]))
	}
}

func TestBrokenFilesAreNamed(t *testing.T) {
	t.Parallel()
	rows := rowsMagic + "\x02\x00\x00\x00\x00\x01\x00\x00" + "\x00\x00\x80\x3f\x00\x00\x80\x3f" + strings.Repeat("\x01", 2*Dim)
	vocab := "[UNK]\nword\n"
	near := neighboursMagic + "\x02\x00\x00\x00" + strings.Repeat("\x00", 8) + "\x01\x00\x00\x00" + "\x00\x00" + "\x80"
	if _, err := newTable("m", rows, vocab, near); err != nil {
		t.Fatalf("sound files: %v", err)
	}
	for _, c := range []struct{ rows, vocab, near, want string }{
		{"", vocab, near, "not a ENGSTAT1 file"},
		{rows[:20], vocab, near, "bytes, want"},
		{strings.Replace(rows, "\x00\x01\x00\x00", "\x00\x02\x00\x00", 1), vocab, near, "512 dimensions"},
		{strings.Replace(rows, "\x80\x3f", "\xc0\x7f", 1), vocab, near, "scale of row 0"},
		{strings.ReplaceAll(rows, "\x80\x3f", "\x00\x00"), vocab, near, "all are zero"},
		{rows, "[UNK]\nword", near, "last line"},
		{rows, "[UNK]\n", near, "1 tokens"},
		{rows, "[UNK]\n\n", near, "line 2 is empty"},
		{rows, "[UNK]\n[UNK]\n", near, "repeats"},
		{rows, "a\nb\n", near, "[UNK] is missing"},
		{rows, "[UNK]\n" + strings.Repeat("x", maxToken+1) + "\n", near, "longer than"},
		{rows, vocab, near[:11], "not a ENGNEIB1 file"},
		{rows, vocab, near[:14], "cut off"},
		{rows, vocab, near + "\x00", "bytes, want"},
		{rows, vocab, strings.Replace(near, "\x02", "\x03", 1), "for 3 tokens"},
		{rows, vocab, near[:12] + "\x07" + near[13:], "out of order"},
	} {
		if _, err := newTable("m", c.rows, c.vocab, c.near); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
}

// TestNeighboursAreTheNearest recomputes the neighbours of some tokens.
func TestNeighboursAreTheNearest(t *testing.T) {
	t.Parallel()
	table := Static()
	for _, word := range []string{"database", "deploy", "yesterday", "the", "refuse"} {
		id := table.WordPieces(nil, word)[0]
		var last, listed float32 = 1, 0
		got := map[uint16]bool{id: true}
		for n := range table.Neighbours(id) {
			if d := math.Abs(float64(n.Cosine - table.Cosine(id, n.Token))); d > 0.5/255+1e-6 || n.Cosine > last {
				t.Errorf("%s: cosine of %s is %v after %v, computed %v", word, table.Token(n.Token), n.Cosine, last, table.Cosine(id, n.Token))
			}
			got[n.Token], last = true, n.Cosine
			listed++
		}
		least := last
		if listed < 24 {
			least = 0.4
		}
		for i := range table.Len() {
			if c := table.Cosine(id, uint16(i)); c > least+1.0/255 && !got[uint16(i)] {
				t.Errorf("%s: %s at %v is not listed", word, table.Token(uint16(i)), c)
			}
		}
	}
	for range table.Neighbours(math.MaxUint16) {
		t.Error("a number that is no token has neighbours")
	}
}

func TestRelatedWords(t *testing.T) {
	t.Parallel()
	found := map[string]float32{}
	for w, c := range Static().RelatedWords("Deploy") {
		found[w] = c
	}
	if found["deployment"] < 0.5 || found["deploy"] != 0 {
		t.Errorf("words related to deploy: %v", found)
	}
	for w := range Static().RelatedWords("kubernetes") {
		t.Errorf("%s is related to a word of several pieces", w)
	}
}
