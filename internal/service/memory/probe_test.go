package memory_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"engram"
	"engram/internal/service/memory"
	"engram/internal/store"
)

// The tests in this file are named for the rows of reference/wire-compat.md
// "What went wrong there" that this service answers for.

// D1: two texts that are equal in their first 2000 bytes are two memories.
func TestProbeD1EqualBeginnings(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	begin := strings.Repeat("x", 2000)
	a := f.save(t, memory.SaveInput{Title: "T", Content: begin + " one"})
	b := f.save(t, memory.SaveInput{Title: "T", Content: begin + " two"})
	if a.ID == b.ID || b.Outcome != store.Created {
		t.Errorf("the second text was swallowed: %+v", b)
	}
	if !strings.HasSuffix(f.get(t, b.ID).Content, " two") {
		t.Error("the second text was cut")
	}
}

// D2: nothing is cut inside a character, and what is not UTF-8 is repaired.
func TestProbeD2ValidUTF8(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	long := strings.Repeat("é", 1999) + "😀 渡轮"
	if got := f.get(t, f.save(t, memory.SaveInput{Content: long}).ID); got.Content != long || !utf8.ValidString(got.Title) {
		t.Errorf("stored %d bytes of %d, title %q", len(got.Content), len(long), got.Title)
	}
	broken := "a\xff\xfeb \xed\xa0\x80 c\x00d"
	if got := f.get(t, f.save(t, memory.SaveInput{Title: broken, Content: broken}).ID); got.Content != "a\uFFFDb \uFFFD c\x00d" || !utf8.ValidString(got.Title) {
		t.Errorf("content %q, title %q", got.Content, got.Title)
	}
}

// D3: up to the limit everything is kept, over it nothing, and the error says so.
func TestProbeD3Sizes(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	whole := strings.Repeat("0123456789abcdef", 1<<16)
	r := f.save(t, memory.SaveInput{Title: "T", Content: whole})
	if got := f.get(t, r.ID).Content; got != whole {
		t.Errorf("%d bytes of 1 MB are kept", len(got))
	}
	_, err := f.Save(agent(t), memory.SaveInput{Title: "T", Content: whole + "!"})
	wantError(t, err, engram.ErrTooLarge, "content_too_large")
	for _, want := range []string{"1048577", "1048576", "nothing was stored"} {
		if !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("error %q does not say %q", err, want)
		}
	}
	if n := f.count(t); n != 1 {
		t.Errorf("%d memories, want 1", n)
	}
}

// D4: a duplicate keeps the topic key that the second save brings.
func TestProbeD4TopicOnADuplicate(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	a := f.save(t, memory.SaveInput{Title: "T", Content: "one"})
	b := f.save(t, memory.SaveInput{Title: "T", Content: "one", TopicKey: "k"})
	c := f.save(t, memory.SaveInput{Title: "T", Content: "two", TopicKey: "k"})
	if b.ID != a.ID || c.ID != a.ID || f.count(t) != 1 {
		t.Errorf("ids %d, %d, %d and %d memories, want one", a.ID, b.ID, c.ID, f.count(t))
	}
	if m := f.get(t, a.ID); m.Content != "two" || m.TopicKey != "k" {
		t.Errorf("memory = %q, topic %q", m.Content, m.TopicKey)
	}
}

// D5: a topic that was just updated is in the context, however much is newer
// than its first save.
func TestProbeD5UpdatedTopicIsFresh(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.save(t, memory.SaveInput{Title: "Loom", Content: "OLD", Project: "p", TopicKey: "loom"})
	for i := range 25 {
		f.clock.Add(time.Minute)
		f.save(t, memory.SaveInput{Title: fmt.Sprint("m", i), Content: fmt.Sprint("text ", i), Project: "p"})
	}
	f.clock.Add(time.Minute)
	f.save(t, memory.SaveInput{Title: "Loom", Content: "NEW", Project: "p", TopicKey: "loom"})
	r, err := f.Context(agent(t), memory.ContextInput{Project: "p", MaxBytes: 512})
	if err != nil || !strings.Contains(r.Text, "NEW") || strings.Contains(r.Text, "OLD") {
		t.Errorf("context (%v):\n%s", err, r.Text)
	}
	list, err := f.List(agent(t), memory.ListInput{Project: "p", Order: store.ByActivity, Limit: 1})
	if err != nil || list.Memories[0].Content != "NEW" {
		t.Errorf("newest by activity = %q, %v", list.Memories[0].Content, err)
	}
}

// P1: nested, unclosed, attributed and spaced tags hide what they mark.
func TestProbeP1Tags(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for in, want := range map[string]string{
		"a <private>one <private>two</private> three</private> b": "a [REDACTED] b",
		"a <private>leak":                          "a [REDACTED]",
		"a <private reason=\"x\">leak</private> b": "a [REDACTED] b",
		"a <private >leak</private > b":            "a [REDACTED] b",
	} {
		if got := f.get(t, f.save(t, memory.SaveInput{Content: in}).ID).Content; got != want {
			t.Errorf("%q is stored as %q, want %q", in, got, want)
		}
	}
}

// P2: the title of a passive item is cut after its private text is out.
func TestProbeP2PassiveTitle(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	r, err := f.CapturePassive(agent(t), memory.CaptureInput{
		Content: "## Key Learnings\n- The staging cluster takes its one token from <private>sk-live-abcdef and more</private> weekly",
	})
	if err != nil || r.Saved != 1 {
		t.Fatalf("CapturePassive = %+v, %v", r, err)
	}
	if dump := f.dump(t); strings.Contains(dump, "sk-live") || strings.Contains(dump, "<private") {
		t.Errorf("the secret was stored:\n%s", dump)
	}
}

// P3 is TestNothingPrivateByAnyField; imports are package transfer's.

// V1: a save of nothing is refused, whatever else is given.
func TestProbeV1EmptySaves(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, in := range []memory.SaveInput{{}, {Title: "only a title", Type: "decision"}, {Content: "\x20\t"}} {
		_, err := f.Save(agent(t), in)
		wantError(t, err, engram.ErrInvalid, "content_required")
	}
	if r := f.save(t, memory.SaveInput{Content: "C", Type: " "}); r.Type != engram.TypeManual {
		t.Errorf("type = %q, want manual", r.Type)
	}
}

// V4: what is not there is not found, never deleted or ended.
func TestProbeV4UnknownIDs(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ctx := agent(t)
	for name, call := range map[string]func() error{
		"delete":         func() error { _, err := f.Delete(ctx, 7, false); return err },
		"erase":          func() error { _, err := f.Delete(ctx, 7, true); return err },
		"restore":        func() error { _, err := f.Restore(ctx, 7); return err },
		"end":            func() error { _, err := f.EndSession(ctx, "nobody", "x"); return err },
		"delete session": func() error { return f.DeleteSession(ctx, "nobody") },
		"delete prompt":  func() error { return f.DeletePrompt(ctx, 7) },
		"history":        func() error { _, err := f.History(ctx, 7); return err },
		"unmerge":        func() error { _, err := f.UnmergeProject(ctx, "nobody"); return err },
		"a negative id":  func() error { _, err := f.Get(ctx, -1); return err },
	} {
		t.Run(name, func(t *testing.T) { wantError(t, call(), engram.ErrNotFound, "") })
	}
}

// V6: a title or a content is not updated to nothing.
func TestProbeV6EmptyUpdates(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	r := f.save(t, memory.SaveInput{Title: "T", Content: "C", TopicKey: "k", Project: "p"})
	_, err := f.Update(agent(t), r.ID, memory.UpdateInput{Title: ptr("")})
	wantError(t, err, engram.ErrInvalid, "title_required")
	_, err = f.Update(agent(t), r.ID, memory.UpdateInput{Content: ptr("")})
	wantError(t, err, engram.ErrInvalid, "content_required")
	m, err := f.Update(agent(t), r.ID, memory.UpdateInput{TopicKey: ptr(""), Project: ptr("")})
	if err != nil || m.TopicKey != "" || m.Project != "" || m.Title != "T" || m.Content != "C" {
		t.Errorf("cleared = %+v, %v", m, err)
	}
}

// C2: unknown session ids are made, also by many at once, and leave no orphan.
func TestProbeC2UnknownSessions(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ctx := agent(t)
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			for i := range 5 {
				in := memory.SaveInput{Title: "T", Content: fmt.Sprint(w, " ", i), Session: fmt.Sprint("session-", i), Project: "p"}
				if _, err := f.Save(ctx, in); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	sessions, err := f.Sessions(ctx, memory.RecentInput{Project: "p", Limit: 100})
	if err != nil || len(sessions.Sessions) != 5 {
		t.Fatalf("%d sessions, %v; want 5", len(sessions.Sessions), err)
	}
	for _, s := range sessions.Sessions {
		if s.Count != 8 || s.Project != "p" {
			t.Errorf("session %s has %d memories in project %q, want 8 in p", s.ID, s.Count, s.Project)
		}
	}
	findings, err := f.store.Check(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	for _, finding := range findings {
		if !finding.OK {
			t.Errorf("%s: %s", finding.Check, finding.Message)
		}
	}
}

// C6 is TestConcurrentSaves.

// T1: times are UTC with microseconds, so that what came within one second
// keeps its order.
func TestProbeT1OrderWithinASecond(t *testing.T) {
	t.Parallel()
	newYork := time.FixedZone("America/New_York", -5*3600)
	f := newFixture(t, func(o *memory.Options) {
		now, zoned := o.Now, newYork
		o.Now = func() time.Time { return now().In(zoned) }
	})
	for i := range 4 {
		f.clock.Add(time.Millisecond)
		f.save(t, memory.SaveInput{Title: fmt.Sprint("m", i), Content: fmt.Sprint(i)})
	}
	r, err := f.List(agent(t), memory.ListInput{Limit: 2})
	if err != nil || len(r.Memories) != 2 || r.Memories[0].Title != "m3" || r.Memories[1].Title != "m2" {
		t.Errorf("the two newest = %q, %v", titles(r.Memories), err)
	}
	if at := r.Memories[0].CreatedAt; at.Location() != time.UTC || !at.Equal(f.clock.Now()) {
		t.Errorf("created at %v, want %v in UTC", at, f.clock.Now())
	}
}
