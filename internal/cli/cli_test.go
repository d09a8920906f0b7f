package cli_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"engram/internal/cli"
)

// full is a disk with no room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

func TestOutputThatCannotBeWrittenIsAFailure(t *testing.T) {
	t.Parallel()
	env := cli.Env{In: strings.NewReader(""), Getenv: func(string) string { return "" }, Home: t.TempDir(), Dir: t.TempDir(), Terminal: true}
	for _, args := range [][]string{
		{"save", "Title", "content", "--project", "p"},
		{"list", "--all"},
		{"list", "--all", "--json"},
		{"search", "content", "--all"},
		{"stats"},
		{"version"},
		{"doctor"},
	} {
		var stderr bytes.Buffer
		env.Out, env.Err = full{}, &stderr
		if code := cli.Main(context.Background(), args, env); code != cli.ExitFailure || !strings.Contains(stderr.String(), "no space left") {
			t.Errorf("engram %s: exit code %d, %q", strings.Join(args, " "), code, stderr.String())
		}
	}
}
