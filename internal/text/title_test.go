package text

import "testing"

func TestTitle(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, given, content, want string }{
		{"the given one", " Drinks ", "tea", "Drinks"},
		{"the first line of the content", " ", "# Drinks\n\ntea, not coffee", "Drinks"},
		{"a content without words", "", "\n ??? !!!\n", "??? !!!"},
		{"nothing at all", " ", "\n", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := Title(tt.given, tt.content); got != tt.want {
				t.Errorf("Title(%q, %q) = %q, want %q", tt.given, tt.content, got, tt.want)
			}
		})
	}
}
