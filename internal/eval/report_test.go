package eval_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"engram"
	"engram/internal/eval"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files")

// retrievalReport and speedReport have figures that were never measured.
func retrievalReport() *eval.RetrievalReport {
	scores := func(questions int, r5 float64) eval.Scores {
		return eval.Scores{Questions: questions, Recall1: r5 / 2, Recall5: r5, Recall10: r5, Recall20: 1, NDCG10: r5 - .1, MRR: r5}
	}
	set := eval.SetReport{
		Name: "harbour & sea", Documents: 1200, Scores: scores(40, .8), Search: eval.Spread{P50: .5, P95: 2.25},
		Kinds: []eval.Kind{
			{Name: "one", Scores: scores(40, .8), Floor: eval.Refusal{Judged: 40, Answered: .95}},
			{Name: "null", Floor: eval.Refusal{Null: 8, Refused: .5, NoAnswerPrecision: 1}},
		},
		Floor: eval.Refusal{Judged: 40, Answered: .95, Recall5: .75, Precision: .3, Null: 8, Refused: .5, NoAnswerPrecision: .67},
		Ablation: []eval.Part{
			{Arms: []string{"keyword"}, Scores: scores(40, .6)},
			{Arms: []string{"keyword", "vector"}, Scores: scores(40, .7)},
		},
	}
	r := &eval.RetrievalReport{Sets: []eval.SetReport{set, {Name: "plain", Scores: scores(5, 1), Floor: eval.Refusal{Judged: 5, Answered: 1}}}}
	r.Reliability = new(eval.Reliability)
	r.Reliability.Answers.Error = .05
	r.Reliability.Answers.Bins[9] = eval.Bin{Predictions: 1040, Predicted: .95, Observed: .9}
	return r
}

func speedReport() *eval.SpeedReport {
	spread := func(p50, p95 float64) eval.Spread { return eval.Spread{P50: p50, P95: p95} }
	size := func(n int, slower float64) eval.SizeReport {
		return eval.SizeReport{
			Memories: n, Bulk: 9000, Save: spread(.2, .5), Recall: spread(.6*slower, 1.2*slower), Rare: spread(.4*slower, .9*slower),
			Common: spread(.9*slower, 1.5*slower), Search: spread(.5, 1), Context: spread(1, 2), ColdStart: 20 * slower, Disk: int64(n) * 1500,
		}
	}
	r := &eval.SpeedReport{Sizes: []eval.SizeReport{size(1000, 1), size(10_000, 1.5), size(1_000_000, 9)}}
	r.Sizes[2].Resident, r.Sizes[2].Settled = 123_456_789, 456.7
	return r
}

// TestForms: tables, Markdown and pictures of figures that stay.
func TestForms(t *testing.T) {
	t.Parallel()
	retrieval, speed := retrievalReport(), speedReport()
	for name, write := range map[string]func(io.Writer) error{
		"retrieval.txt": retrieval.WriteTable, "retrieval.md": retrieval.WriteMarkdown, "retrieval.svg": retrieval.WriteSVG,
		"speed.txt": speed.WriteTable, "speed.md": speed.WriteMarkdown, "speed.svg": speed.WriteSVG,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got bytes.Buffer
			if err := write(&got); err != nil {
				t.Fatal(err)
			}
			golden := filepath.Join("testdata", name)
			if *update {
				if err := errors.Join(os.MkdirAll("testdata", 0o755), os.WriteFile(golden, got.Bytes(), 0o644)); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got.String()); diff != "" {
				t.Errorf("mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

// TestPicturesOfAnything: a picture is XML, and has no place that is no number,
// whatever the figures are.
func TestPicturesOfAnything(t *testing.T) {
	t.Parallel()
	for name, r := range map[string]eval.Report{
		"retrieval": retrievalReport(), "speed": speedReport(),
		"no set": &eval.RetrievalReport{}, "no size": &eval.SpeedReport{},
		"one size of nothing": &eval.SpeedReport{Sizes: []eval.SizeReport{{Memories: 1000}}},
	} {
		var b bytes.Buffer
		if err := r.WriteSVG(&b); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		picture := b.String()
		dec := xml.NewDecoder(&b)
		for {
			if _, err := dec.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		if strings.Contains(picture, "NaN") || strings.Contains(picture, "Inf") {
			t.Errorf("%s: %s", name, picture)
		}
	}
}

func TestReadReport(t *testing.T) {
	t.Parallel()
	encode := func(r eval.Report) *bytes.Reader {
		b, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		return bytes.NewReader(b)
	}
	var again eval.RetrievalReport
	if err := eval.ReadReport(encode(retrievalReport()), &again); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(*retrievalReport(), again); diff != "" {
		t.Errorf("mismatch (-written +read):\n%s", diff)
	}
	for name, in := range map[string]io.Reader{
		"of the other kind": encode(speedReport()), "no JSON": strings.NewReader("R@5"), "nothing": strings.NewReader(""),
		"without a set": strings.NewReader("{}"),
	} {
		if err := eval.ReadReport(in, new(eval.RetrievalReport)); engram.ErrorCode(err) != "not_a_report" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := eval.ReadReport(strings.NewReader("{}"), new(eval.SpeedReport)); engram.ErrorCode(err) != "not_a_report" {
		t.Errorf("a report without sizes: %v", err)
	}
}
