package mcpserver

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "write the transcripts anew")

// TestTranscripts plays conversations with a server process. In each file the
// section "conversation" has lines that the client says (>) and lines that it
// gets (<); the comment above says what it shows.
func TestTranscripts(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			want := string(archive.Files[0].Data)
			got := play(t, want)
			if *update {
				archive.Files[0].Data = []byte(got)
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

func play(t *testing.T, conversation string) string {
	p := startPeer(t, "agent")
	var b strings.Builder
	for line := range strings.Lines(conversation) {
		said, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "> ")
		if !ok {
			continue
		}
		b.WriteString("> " + said + "\n")
		p.send(said)
		if wantsAnswer(said) {
			b.WriteString("< " + p.receive() + "\n")
		}
	}
	p.in.Close()
	if err := p.wait(); err != nil {
		t.Errorf("ended with %v\n%s", err, p.stderr)
	}
	return b.String()
}

// wantsAnswer is false for notifications.
func wantsAnswer(line string) bool {
	var fields map[string]json.RawMessage
	if json.NewDecoder(bytes.NewReader([]byte(line))).Decode(&fields) != nil {
		return true
	}
	return fields["id"] != nil || fields["method"] == nil
}
