package text

import "testing"

func TestTraitsOf(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]Traits{
		"":                      Brief,
		"Did you feed the cat?": Asks | Brief,
		"你喂猫了吗？":                Asks | Brief,
		"I moved here four years ago, to be near her":      HasNumber | HasTime,
		"Deploys go through staging first and then on":     HasNumber,
		"We met on Tuesday":                                HasTime | Brief,
		"port 8080":                                        HasNumber | Brief,
		"the cache is kept in memory by the server itself": 0,
	} {
		if got := TraitsOf(in); got != want {
			t.Errorf("TraitsOf(%q) = %b, want %b", in, got, want)
		}
	}
}
