//go:build noencoder

package encoder

import (
	"errors"
	"strings"
	"testing"

	"engram"
)

func TestBuildWithoutModel(t *testing.T) {
	t.Parallel()
	if Included() {
		t.Error("a model is included")
	}
	e := New()
	if e.Model() != Name || e.Dim() != Dim {
		t.Errorf("it is %s of %d", e.Model(), e.Dim())
	}
	_, err := e.Question(t.Context(), "tea")
	var told *engram.Error
	if !errors.As(err, &told) || !errors.Is(err, engram.ErrUnavailable) || told.Code != "encoder_unavailable" || !strings.Contains(told.Hint, "noencoder") {
		t.Errorf("error %v", err)
	}
}
