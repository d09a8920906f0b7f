package text

import "testing"

func TestTraitsOf(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]Traits{
		"":                      Brief,
		"Did you feed the cat?": Asks | Brief,
		"你喂猫了吗？":                Asks | Brief,
		"I moved here four years ago, to be near the sea": HasNumber | HasTime | HasPlace,
		"Deploys go through staging first and then on":    HasNumber,
		"We met on Tuesday": HasTime | Brief,
		"port 8080":         HasNumber | Brief,
		"the cache is kept in memory by the server itself": 0,
		"He flew to Lisbon":                            HasPlace | HasPerson | Brief,
		"Yes. Then came Ilse with it":                  HasPerson,
		"Yes. Then came one with it":                   HasNumber,
		"my cousin wrote about the whole long journey": HasPerson,
	} {
		if got := TraitsOf(in); got != want {
			t.Errorf("TraitsOf(%q) = %b, want %b", in, got, want)
		}
	}
}
