package memory_test

import (
	"slices"
	"testing"

	"engram"
	"engram/internal/service/memory"
)

// awsKey is a credential that is none; it is written in two so that nobody's
// scanner takes this file for a leak.
const awsKey = "AK" + "IAIOSFODNN7EXAMPLQ"

// TestWritesSayWhatTheyTookOut: no write changes a text without a word.
func TestWritesSayWhatTheyTookOut(t *testing.T) {
	t.Parallel()
	const said = "the <private>hush</private> key is " + awsKey + " for now"
	for name, write := range map[string]func(f *fixture) ([]string, error){
		"save": func(f *fixture) ([]string, error) {
			r, err := f.Save(agent(t), memory.SaveInput{Title: "T", Content: said})
			return r.Redacted, err
		},
		"update": func(f *fixture) ([]string, error) {
			id := f.save(t, memory.SaveInput{Title: "T", Content: "C"}).ID
			r, err := f.Update(agent(t), id, memory.UpdateInput{Content: ptr(said)})
			return r.Redacted, err
		},
		"prompt": func(f *fixture) ([]string, error) {
			r, err := f.SavePrompt(agent(t), "s", "p", said)
			return r.Redacted, err
		},
		"start of a session": func(f *fixture) ([]string, error) {
			r, _, err := f.StartSession(agent(t), memory.SessionInput{ID: "s", Project: "p", Directory: said})
			return r.Redacted, err
		},
		"end of a session": func(f *fixture) ([]string, error) {
			if _, _, err := f.StartSession(agent(t), memory.SessionInput{ID: "s"}); err != nil {
				return nil, err
			}
			r, err := f.EndSession(agent(t), "s", said)
			return r.Redacted, err
		},
		"session summary": func(f *fixture) ([]string, error) {
			r, err := f.SessionSummary(agent(t), "p", "s", said)
			return r.Redacted, err
		},
		"capture": func(f *fixture) ([]string, error) {
			r, err := f.CapturePassive(agent(t), memory.CaptureInput{Content: "## Key Learnings:\n- " + said})
			return r.Redacted, err
		},
		"capture of what is outside the list": func(f *fixture) ([]string, error) {
			r, err := f.CapturePassive(agent(t), memory.CaptureInput{Content: said})
			return r.Redacted, err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := write(newFixture(t))
			if want := []string{"private", "aws-key"}; err != nil || !slices.Equal(got, want) {
				t.Errorf("told %q, %v, want %q", got, err, want)
			}
		})
	}
}

func TestWritesOfPlainTextSayNothing(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	id := f.save(t, memory.SaveInput{Title: "T", Content: "C"}).ID
	r, err := f.Update(agent(t), id, memory.UpdateInput{Content: ptr("nothing to hide")})
	if err != nil || len(r.Redacted) > 0 || r.Content != "nothing to hide" {
		t.Errorf("update gave %+v, %v", r, err)
	}
	if r, err := f.Update(agent(t), id+1, memory.UpdateInput{Content: ptr("x")}); r.Memory != nil {
		t.Errorf("an unknown memory gave %+v, %v", r, err)
	} else {
		wantError(t, err, engram.ErrNotFound, engram.ErrorCode(err))
	}
}
