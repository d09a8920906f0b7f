package text

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCleaner(t *testing.T) {
	t.Parallel()
	const key = "AKI" + "AFAKEUGJ7SUI3ETXT"
	tests := []struct {
		name, in, want string
		keepSecrets    bool
		kinds          []string
	}{
		{"plain text", "tea, not coffee\x00", "tea, not coffee\x00", false, nil},
		{"a private span", "a <private>b</private> c", "a [REDACTED] c", false, []string{"private"}},
		{"a credential", "key " + key, "key [REDACTED:aws-key]", false, []string{"aws-key"}},
		{"a credential that may stay", "key " + key, "key " + key, true, nil},
		{"private text stays out even then", "<private>b</private> " + key, "[REDACTED] " + key, true, []string{"private"}},
		{"a half of a surrogate pair", "a\xed\xa0\x80b", "a\uFFFDb", false, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := Cleaner{KeepSecrets: tt.keepSecrets}
			got := c.Text(tt.in)
			if got != tt.want {
				t.Errorf("Text(%q) = %q, want %q", tt.in, got, tt.want)
			}
			if diff := cmp.Diff(tt.kinds, c.Kinds()); diff != "" {
				t.Errorf("Kinds() mismatch (-want +got):\n%s", diff)
			}
			if again := c.Text(got); again != got {
				t.Errorf("a second run changed %q to %q", got, again)
			}
		})
	}
}
