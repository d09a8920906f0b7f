package eval

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"

	"engram/internal/service/memory"
)

// Starter makes the command of a new process that calls [AnswerFirst] with dir
// and question, and its own standard output.
type Starter func(ctx context.Context, dir, question string) *exec.Cmd

// firstAnswer is what a new process writes when it has answered.
type firstAnswer struct {
	Resident int64 `json:"resident_bytes"`
}

// AnswerFirst opens the product over the store in dir, recalls for a question, and
// writes to w that it has done so.
func AnswerFirst(ctx context.Context, open Opener, dir, question string, w io.Writer) (err error) {
	p, err := open(ctx, dir, time.Now)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	in := memory.RecallInput{SearchInput: memory.SearchInput{Query: question, AllProjects: true}}
	if _, err := p.Memory.Recall(asBench(ctx), in); err != nil {
		return err
	}
	return json.NewEncoder(w).Encode(firstAnswer{residentSize()})
}

// firstAnswerOf starts a new process and times it until it has answered.
func firstAnswerOf(cmd *exec.Cmd) (took time.Duration, a firstAnswer, err error) {
	var faults bytes.Buffer
	cmd.Stderr = &faults
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 0, a, err
	}
	started := time.Now()
	if err := cmd.Start(); err != nil {
		return 0, a, fmt.Errorf("start a new process: %w", err)
	}
	decoded := json.NewDecoder(out).Decode(&a)
	took = time.Since(started)
	if err := cmd.Wait(); err != nil {
		return 0, a, fmt.Errorf("the new process: %w: %s", err, strings.TrimSpace(faults.String()))
	}
	if decoded != nil {
		return 0, a, fmt.Errorf("the new process: read its answer: %w", decoded)
	}
	return took, a, nil
}
