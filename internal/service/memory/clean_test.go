package memory_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"engram"
	"engram/internal/service/memory"
	"engram/internal/store"
)

// dump is everything that a store holds, as JSON: nothing that must not be kept
// may be in it, whichever field it came in by.
func (f *fixture) dump(t testing.TB) string {
	t.Helper()
	var out strings.Builder
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	err := f.store.Export(t.Context(), engram.DefaultWorkspace, nil, 100, func(b store.Batch) error { return enc.Encode(b) })
	if err != nil {
		t.Fatal(err)
	}
	return out.String()
}

type privateCase struct {
	ID, Field, Input, Level, Note string
	Output                        *string
	Must                          []string
	MustNot                       []string `json:"must_not"`
}

// TestPrivateCases gives each text of cases/private to the use case that it is
// for and looks through all that was stored and answered.
func TestPrivateCases(t *testing.T) {
	t.Parallel()
	cases := readLines[privateCase](t, "../../text/testdata/private/cases.jsonl")
	should, held := 0, 0
	for _, c := range cases {
		failed := false
		t.Run(c.ID, func(t *testing.T) {
			problems := checkPrivate(t, c)
			failed = len(problems) > 0
			for _, p := range problems {
				if c.Level == "should" {
					t.Logf("should: %s", p)
				} else {
					t.Errorf("%s (%s)", p, c.Note)
				}
			}
		})
		if c.Level == "should" {
			should++
			if !failed {
				held++
			}
		}
	}
	t.Logf("%d cases, should: %d of %d", len(cases), held, should)
}

func checkPrivate(t *testing.T, c privateCase) (problems []string) {
	f := newFixture(t)
	if strings.TrimSpace(c.Input) == "" { // there is nothing to hide, and nothing to keep
		_, err := f.Save(agent(t), memory.SaveInput{Title: "T", Content: c.Input})
		wantError(t, err, engram.ErrInvalid, "content_required")
		return nil
	}
	got, answer := storePrivate(t, f, c.Field, c.Input)
	if c.Output != nil && strings.TrimSpace(got) != strings.TrimSpace(*c.Output) {
		problems = append(problems, fmt.Sprintf("stored %q, want %q", got, *c.Output))
	}
	everything := f.dump(t) + answer
	for _, s := range c.MustNot {
		// As JSON has it, and as it stands in the field.
		quoted, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(got, s) || (len(s) > 3 && strings.Contains(everything, strings.Trim(string(quoted), `"`))) {
			problems = append(problems, fmt.Sprintf("%q is still there: %q", s, got))
		}
	}
	for _, s := range c.Must {
		if !strings.Contains(strings.ToLower(got), strings.ToLower(s)) {
			problems = append(problems, fmt.Sprintf("%q is not in %q", s, got))
		}
	}
	// A second run over what was stored changes nothing.
	if c.Field != "passive" {
		if again, _ := storePrivate(t, newFixture(t), c.Field, got); again != got {
			problems = append(problems, fmt.Sprintf("a second run made %q of %q", again, got))
		}
	}
	return problems
}

// storePrivate saves text by way of field; it gives what that field became, and
// what the caller was told.
func storePrivate(t *testing.T, f *fixture, field, text string) (stored, answer string) {
	t.Helper()
	ctx := agent(t)
	said := func(v any, err error) string {
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf("%+v", v)
	}
	switch field {
	case "content":
		r := f.save(t, memory.SaveInput{Title: "T", Content: text})
		return f.get(t, r.ID).Content, said(r, nil)
	case "title":
		r := f.save(t, memory.SaveInput{Title: text, Content: "C"})
		return f.get(t, r.ID).Title, said(r, nil)
	case "topic_key":
		r := f.save(t, memory.SaveInput{Title: "T", Content: "C", TopicKey: text})
		return f.get(t, r.ID).TopicKey, said(r, nil)
	case "summary":
		r, err := f.SessionSummary(ctx, "p", "s", text)
		answer := said(r, err)
		s, err := f.Session(ctx, "s")
		answer += said(s, err)
		if m := f.get(t, r.ID); m.Content != s.Summary {
			t.Errorf("the memory says %q, the session %q", m.Content, s.Summary)
		}
		return s.Summary, answer
	case "prompt":
		p, err := f.SavePrompt(ctx, "s", "p", text)
		return p.Content, said(p, err)
	case "passive":
		r, err := f.CapturePassive(ctx, memory.CaptureInput{Content: text, Session: "s", Source: "test"})
		answer := said(r, err)
		var all []string
		for _, id := range r.IDs {
			m := f.get(t, id)
			all = append(all, m.Title, m.Content)
		}
		return strings.Join(all, "\n"), answer
	}
	t.Fatalf("field %q is not known", field)
	return "", ""
}

// TestNothingPrivateByAnyField: the same span in every text that can be given.
func TestNothingPrivateByAnyField(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ctx := agent(t)
	const hidden = "a <private reason='x'>zorblatt</private> b"
	r, err := f.Save(ctx, memory.SaveInput{
		Title: hidden, Content: hidden, Type: hidden, Session: hidden, Project: hidden, TopicKey: hidden,
		ToolName: hidden, Speaker: hidden, Role: hidden, Status: hidden, Files: []string{hidden, "b.go"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Redacted) != 1 || r.Redacted[0] != "private" {
		t.Errorf("Redacted = %q, want private", r.Redacted)
	}
	if _, err := f.Session(ctx, hidden); err != nil {
		t.Errorf("the session is not found by the id that the agent knows: %v", err)
	}
	other := f.save(t, memory.SaveInput{Title: "T", Content: "C"})
	if _, err := f.Update(ctx, other.ID, memory.UpdateInput{
		Title: ptr(hidden), Content: ptr(hidden), Type: ptr(hidden), Project: ptr(hidden), TopicKey: ptr(hidden + "2"),
		Status: ptr(hidden), Files: &[]string{hidden},
	}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := f.StartSession(ctx, memory.SessionInput{ID: "s" + hidden, Project: hidden, Directory: "/" + hidden}); err != nil {
		t.Fatal(err)
	}
	if _, err := f.EndSession(ctx, "s"+hidden, hidden); err != nil {
		t.Fatal(err)
	}
	if _, err := f.SavePrompt(ctx, hidden, hidden, hidden); err != nil {
		t.Fatal(err)
	}
	if _, err := f.CapturePassive(ctx, memory.CaptureInput{
		Content: "## Learnings\n- The vault of " + hidden + " rotates weekly", Session: hidden, Project: hidden, Source: hidden,
	}); err != nil {
		t.Fatal(err)
	}
	if dump := f.dump(t); strings.Contains(dump, "zorblatt") || strings.Contains(strings.ToLower(dump), "<private") {
		t.Errorf("private text was stored:\n%s", dump)
	}
	key, err := f.SuggestTopicKey(ctx, hidden, hidden, hidden)
	if err != nil || strings.Contains(key, "zorblatt") {
		t.Errorf("SuggestTopicKey = %q, %v", key, err)
	}
}

type secretCase struct {
	ID      string
	Text    []string
	Output  string
	Level   string
	Secrets []struct{ Kind string }
}

// TestSecretCases sends cases/secrets through a save in title, content and file.
func TestSecretCases(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	cases := readLines[secretCase](t, "../../text/testdata/secrets/cases.jsonl")
	should, held := 0, 0
	for i, c := range cases {
		in := strings.Join(c.Text, "")
		r := f.save(t, memory.SaveInput{
			Title: in, Content: in, Files: []string{in}, Session: fmt.Sprint("s", i), Type: fmt.Sprint("type", i),
		})
		m := f.get(t, r.ID)
		want := strings.TrimSpace(c.Output)
		ok := strings.TrimSpace(m.Content) == want && m.Title == want && len(m.Files) == 1 && m.Files[0] == want &&
			(len(r.Redacted) > 0) == (len(c.Secrets) > 0)
		if c.Level == "should" {
			should++
			if ok {
				held++
			}
			continue
		}
		if !ok {
			t.Errorf("%s: content %q, title %q, files %q, redacted %q; want %q", c.ID, m.Content, m.Title, m.Files, r.Redacted, c.Output)
		}
	}
	t.Logf("%d cases, should: %d of %d", len(cases), held, should)
}

func TestKeepSecrets(t *testing.T) {
	t.Parallel()
	const key = "AKI" + "AFAKEUGJ7SUI3ETXT"
	f := newFixture(t, func(o *memory.Options) { o.KeepSecrets = true })
	r := f.save(t, memory.SaveInput{Content: "the key is " + key + " <private>x</private>"})
	if got := f.get(t, r.ID).Content; got != "the key is "+key+" [REDACTED]" {
		t.Errorf("content = %q", got)
	}
}
