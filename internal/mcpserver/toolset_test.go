package mcpserver

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"engram"
)

const (
	agentTools = "mem_capture_passive mem_context mem_get_observation mem_save mem_save_prompt mem_search " +
		"mem_session_end mem_session_start mem_session_summary mem_suggest_topic_key mem_update"
	brainTools = "explain_recall"
	adminTools = "mem_delete mem_stats mem_timeline"
	allTools   = "explain_recall mem_capture_passive mem_context mem_delete mem_get_observation mem_save mem_save_prompt mem_search " +
		"mem_session_end mem_session_start mem_session_summary mem_stats mem_suggest_topic_key mem_timeline mem_update"
)

func TestSelectTools(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, selection, want string }{
		{"nothing is all", "", allTools},
		{"all", "all", allTools},
		{"agent", "agent", agentTools},
		{"admin", "admin", adminTools},
		{"brain", "brain", brainTools},
		{"any case", " AGENT ", agentTools},
		{"one name", "mem_save", "mem_save"},
		{"names, twice and with dots", "mem_search, mem.save,MEM_SAVE", "mem_save mem_search"},
		{"profile and name", "admin,mem_save", "mem_delete mem_save mem_stats mem_timeline"},
		{"every profile", "agent,admin,brain", allTools},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tools, err := selectTools(catalogue(), tt.selection)
			if err != nil {
				t.Fatal(err)
			}
			names := make([]string, len(tools))
			for i := range tools {
				names[i] = tools[i].name
			}
			if diff := cmp.Diff(tt.want, strings.Join(names, " ")); diff != "" {
				t.Errorf("mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSelectToolsRefusesUnknownNames(t *testing.T) {
	t.Parallel()
	for _, selection := range []string{"workspace", "mem_nope", "agent,nope", ",", "memory_write"} {
		_, err := New(newFake().open, Options{Tools: selection})
		if !errors.Is(err, engram.ErrInvalid) {
			t.Errorf("%q: error %v", selection, err)
			continue
		}
		for _, name := range append(strings.Fields(allTools), "all", "agent", "admin", "brain") {
			if !strings.Contains(err.Error(), name) {
				t.Errorf("%q: error does not name %s: %v", selection, name, err)
			}
		}
	}
}
