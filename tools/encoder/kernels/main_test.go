package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestFilesAreWhatIsGenerated(t *testing.T) {
	t.Parallel()
	for name, kernels := range files {
		got, err := os.ReadFile(filepath.Join("..", "..", "..", "internal", "encoder", name))
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != header+kernels() {
			t.Errorf("%s is not what this generates: run go generate ./internal/encoder", name)
		}
	}
}
