package eval_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"engram"
	"engram/internal/eval"

	"github.com/google/go-cmp/cmp"
)

// TestFindSets: a folder is a set, or stands for the sets in it.
func TestFindSets(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"sets/b/queries.jsonl", "sets/a/queries.jsonl", "sets/notes/README.md", "sets/README.md", "none/x/y/queries.jsonl"} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, nil, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		name, dirs, names string
		want              string
		kind              error
	}{
		{"a folder of sets", "sets", "", "sets/a sets/b", nil},
		{"a set", "sets/b", "", "sets/b", nil},
		{"both", "sets/b sets", "", "sets/b sets/a", nil},
		{"some, in the order asked for", "sets", "b a", "sets/b sets/a", nil},
		{"one", "sets", "a", "sets/a", nil},
		{"an unknown name", "sets", "a c", "", engram.ErrNotFound},
		{"a folder without sets", "none", "", "", engram.ErrInvalid},
		{"no folder", "nowhere", "", "", engram.ErrInvalid},
		{"a file", "sets/README.md", "", "", engram.ErrInvalid},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var dirs, want []string
			for d := range strings.FieldsSeq(tt.dirs) {
				dirs = append(dirs, filepath.Join(dir, d))
			}
			for d := range strings.FieldsSeq(tt.want) {
				want = append(want, filepath.Join(dir, d))
			}
			got, err := eval.FindSets(dirs, strings.Fields(tt.names))
			if diff := cmp.Diff(want, got); diff != "" || !errors.Is(err, tt.kind) {
				t.Errorf("FindSets() gave %v; mismatch (-want +got):\n%s", err, diff)
			}
		})
	}
}
