package embed_test

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"engram"
	"engram/internal/embed"

	"github.com/google/go-cmp/cmp"
)

// What servers say when there are too many texts in a request.
func TestEndpointHalvesBatches(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name    string
		code    int
		message string
	}{
		{"DashScope", 400, "<400> InternalError.Algo.InvalidParameter: Value error, batch size is invalid, it should not be larger than 10.: input.contents"},
		{"Text Embeddings Inference", 422, "batch size 32 > maximum allowed batch size 10"},
		{"SiliconFlow", 413, "input batch size 32 > maximum allowed batch size 10"},
		{"Mistral", 400, "Too many inputs in request, split into more batches."},
		{"OpenAI", 400, "Invalid 'input': array too long. Expected an array with maximum length 10"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			e, api := newAPI(t, func(w http.ResponseWriter, r *http.Request, c apiCall, n int) {
				if len(c.inputs) > 10 {
					status(w, tc.code, tc.message)
					return
				}
				well(w, r, c, n)
			})
			texts := numbered(50)
			got, err := e.Embed(t.Context(), texts)
			if err != nil {
				t.Fatal(err)
			}
			wantVectors(t, got, texts)
			if e.Status().Batch != 8 {
				t.Errorf("batch is %d, want 8", e.Status().Batch)
			}
			if refused := slices.DeleteFunc(api.sizes(), func(n int) bool { return n <= 10 }); len(refused) != 2 {
				t.Errorf("refused batches %v, want 32 and 16 once each", refused)
			}
		})
	}
}

// Servers that give something for a batch, but not what was asked for.
func TestEndpointFindsWrongBatches(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		do    answer
		batch int // that is used in the end
	}{
		{"empty vectors", func(w http.ResponseWriter, _ *http.Request, c apiCall, _ int) {
			data := items(c.inputs)
			if len(data) > 1 {
				data[0].Embedding = []float32{}
			}
			reply(w, data)
		}, 1},
		{"too few", func(w http.ResponseWriter, _ *http.Request, c apiCall, _ int) { reply(w, items(c.inputs[:1])) }, 1},
		{"every index is 0", func(w http.ResponseWriter, _ *http.Request, c apiCall, _ int) {
			data := items(c.inputs)
			for i := range data {
				data[i].Index = 0
			}
			reply(w, data)
		}, 1},
		{"index of another's batch", func(w http.ResponseWriter, _ *http.Request, c apiCall, _ int) {
			data := items(c.inputs)
			for i := range data {
				data[i].Index += 3
			}
			reply(w, data)
		}, 1},
		{"mixed up", func(w http.ResponseWriter, _ *http.Request, c apiCall, _ int) {
			data := items(c.inputs)
			data[0].Embedding, data[len(data)-1].Embedding = data[len(data)-1].Embedding, data[0].Embedding
			reply(w, data)
		}, 1},
		{"blurred from 16", func(w http.ResponseWriter, _ *http.Request, c apiCall, _ int) {
			data := items(c.inputs)
			for i := range data {
				if v := vectorOf(c.inputs[i]); len(data) >= 16 {
					v[0] += 2
					data[i].Embedding = v
				}
			}
			reply(w, data)
		}, 4},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			e, _ := newAPI(t, tc.do)
			for _, n := range []int{4, 20} {
				texts := numbered(n)
				got, err := e.Embed(t.Context(), texts)
				if err != nil {
					t.Fatal(err)
				}
				wantVectors(t, got, texts)
			}
			if got := e.Status().Batch; got != tc.batch {
				t.Errorf("batch is %d, want %d", got, tc.batch)
			}
		})
	}
}

func TestEndpointComparesBatchesSeldom(t *testing.T) {
	t.Parallel()
	e, api := newAPI(t, well)
	for range 3 {
		if _, err := e.Embed(t.Context(), numbered(32)); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]int{32, 1, 32, 32}, api.sizes()); diff != "" {
		t.Error(diff)
	}
	if !api.seen()[1].asString {
		t.Error("one text goes as a list")
	}
}

// What servers say to a text that the model cannot read whole.
func TestEndpointCutsLongTexts(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name    string
		code    int
		message string
	}{
		{"Ollama", 400, "the input length exceeds the context length"},
		{"llama.cpp", 500, "input (992 tokens) is too large to process. increase the physical batch size (current batch size: 512)"},
		{"OpenAI, vLLM", 400, "This model's maximum context length is 8192 tokens, however you requested 9000 tokens."},
		{"Text Embeddings Inference", 413, "Input validation error: `inputs` must have less than 512 tokens. Given: 600"},
		{"DashScope", 400, "Range of input length should be [1, 8192]"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			e, api := newAPI(t, func(w http.ResponseWriter, r *http.Request, c apiCall, n int) {
				for _, text := range c.inputs {
					if len(text) > 100 {
						status(w, tc.code, tc.message)
						return
					}
				}
				well(w, r, c, n)
			})
			left, right := strings.Repeat("a", 80), strings.Repeat("b", 79)
			got, err := e.Embed(t.Context(), []string{"short", left + " " + right, "last"})
			if err != nil {
				t.Fatal(err)
			}
			wantVectors(t, [][]float32{got[0], got[2]}, []string{"short", "last"})
			var sum []float32
			for i, x := range unitOf(vectorOf(left)) {
				sum = append(sum, 80*x+79*unitOf(vectorOf(right))[i])
			}
			if want := unitOf(sum); !near(got[1], want) {
				t.Errorf("vector of a long text is %v, want the mean of its halves %v", got[1], want)
			}
			if s := e.Status(); s.Batch != 32 || s.PausedFor != 0 {
				t.Errorf("status %+v: the server is all right", s)
			}
			if n := len(api.seen()); n > 8 {
				t.Errorf("asked %d times: what is too long stays so", n)
			}
		})
	}
}

func TestEndpointCutsTextsBeforeTheServerDoes(t *testing.T) {
	t.Parallel()
	e, api := newAPI(t, well, func(o *embed.EndpointOptions) { o.MaxTextBytes = 100 })
	text := strings.Repeat("日本語のメモ。", 20) + " " + strings.Repeat("word ", 30)
	if _, err := e.Embed(t.Context(), []string{text}); err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, c := range api.seen() {
		for _, part := range c.inputs {
			if len(part) > 100 || strings.ContainsRune(part, '\uFFFD') {
				t.Errorf("sent %q", part)
			}
		}
		if len(c.inputs) > 1 {
			all = append(all, c.inputs...)
		}
	}
	if got, want := strings.Join(all, ""), strings.ReplaceAll(text, " ", ""); strings.ReplaceAll(got, " ", "") != want {
		t.Errorf("the pieces are %q", all)
	}
}

func TestEndpointCutsTextsThatAreNoText(t *testing.T) {
	t.Parallel()
	e, api := newAPI(t, well, func(o *embed.EndpointOptions) { o.MaxTextBytes = 100 })
	got, err := e.Embed(t.Context(), []string{strings.Repeat("\x80", 300), "a\xffb"})
	if err != nil {
		t.Fatal(err)
	}
	if got[0] == nil {
		t.Error("no vector for bytes that are no text")
	}
	wantVectors(t, got[1:], []string{"a\uFFFDb"})
	if len(api.seen()) == 0 {
		t.Error("not asked")
	}
}

func TestEndpointTellsWhichTextIsWrong(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		do   func(w http.ResponseWriter)
		code string
	}{
		{"Ollama cannot encode NaN", func(w http.ResponseWriter) {
			status(w, 500, "failed to encode response: json: unsupported value: NaN")
		}, "embedder_failed"},
		{"NaN", func(w http.ResponseWriter) { w.Write([]byte(`{"data":[{"index":0,"embedding":[NaN]}]}`)) }, "embedder_bad_answer"},
		{"too long, however short", func(w http.ResponseWriter) { status(w, 400, "the input length exceeds the context length") }, "embedder_text_too_long"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			e, api := newAPI(t, func(w http.ResponseWriter, r *http.Request, c apiCall, n int) {
				if slices.Contains(c.inputs, "poison") {
					tc.do(w)
					return
				}
				well(w, r, c, n)
			})
			texts := append(numbered(11), "poison", "other")
			_, err := e.Embed(t.Context(), texts)
			wantCode(t, err, tc.code)
			bad, ok := errors.AsType[*embed.TextError](err)
			if !ok || bad.Index != 11 {
				t.Fatalf("error is %#v, want one about text 11", err)
			}
			if n := len(api.seen()); n > 12 {
				t.Errorf("asked %d times to find it", n)
			}
			texts = slices.Delete(texts, bad.Index, bad.Index+1)
			got, err := e.Embed(t.Context(), texts)
			if err != nil {
				t.Fatal(err)
			}
			wantVectors(t, got, texts)

			_, err = e.Question(t.Context(), "poison")
			if _, ok := errors.AsType[*embed.TextError](err); ok || !errors.Is(err, engram.ErrUnavailable) {
				t.Errorf("question: %#v", err)
			}
		})
	}
}
