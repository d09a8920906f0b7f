package encoder

import (
	"os"
	"testing"
)

// tierEnv is the tier that scripts expect of the processor that they run these tests on.
const tierEnv = "ENGRAM_TEST_TIER"

func TestTierOfTheProcessor(t *testing.T) {
	t.Parallel()
	want := os.Getenv(tierEnv)
	if want == "" {
		t.Skip(tierEnv + " does not say what this processor has: see scripts/oldcpu.sh and scripts/arm64.sh")
	}
	if got := New().Tier().String(); got != want {
		t.Errorf("tier %s, want %s", got, want)
	}
}
