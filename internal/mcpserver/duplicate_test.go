package mcpserver

import (
	"path/filepath"
	"strings"
	"testing"
)

// What a save of the same text adds is taken over, and the answer says so.
func TestSaveOfTheSameTextAddsWhatItBrings(t *testing.T) {
	t.Parallel()
	l := connect(t, filepath.Join(t.TempDir(), "memory.db"))
	const content = "The ferry leaves every twenty minutes."
	for _, step := range []struct {
		more fields
		want string
	}{
		{fields{}, "Saved as #1"},
		{fields{"pinned": true, "importance": 0.5, "files": []string{"ferry.go"}}, "Updated #1, now revision 2"},
		{fields{"pinned": true, "importance": 0.5, "files": []string{"ferry.go"}}, "Known already as #1"},
		{fields{"topic_key": "plan/ferry"}, "Known already as #1; counted as seen again, project harbour."},
		{fields{}, "Known already as #1; counted as seen again, project harbour, topic_key plan/ferry."},
		{fields{"topic_key": "plan/boats"}, "Saved as #2"},
	} {
		args := fields{"title": "Ferry", "content": content}
		for name, value := range step.more {
			args[name] = value
		}
		if text, failed := l.call("mem_save", args); failed || !strings.Contains(text, step.want) {
			t.Errorf("save with %v answered %q, want %q", step.more, text, step.want)
		}
	}
	text, _ := l.call("mem_get_observation", fields{"id": 1})
	for _, want := range []string{"plan/ferry", "ferry.go", "Pinned: yes"} {
		if !strings.Contains(text, want) {
			t.Errorf("the memory lacks %s: %s", want, text)
		}
	}
}
