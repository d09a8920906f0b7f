package transfer

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"engram"
	"engram/internal/policy"
	"engram/internal/project"
	"engram/internal/recall"
	"engram/internal/store"
)

// batchSize is how many items go through one transaction.
const batchSize = 1000

// Export writes everything of projects (nil = all) to w: the state of one
// moment. Softly deleted memories are in it, marked as such. It is put together
// before the first byte goes out, so that w may take its time: no transaction
// waits for it, which would keep the store's log from being cut.
func (s *Service) Export(ctx context.Context, w io.Writer, f Format, projects []string) (err error) {
	actor, err := policy.Check(ctx, policy.ExportMemory)
	if err != nil {
		return err
	}
	if projects, err = s.resolveAll(ctx, actor.Workspace, projects); err != nil {
		return err
	}
	whole := &spool{dir: s.opts.Dir}
	defer func() { err = errors.Join(err, whole.discard()) }()
	if err := s.writeForm(ctx, actor.Workspace, whole, f, projects); err != nil {
		return err
	}
	return whole.copyTo(w)
}

// writeForm writes an export in the form f.
func (s *Service) writeForm(ctx context.Context, workspace string, w io.Writer, f Format, projects []string) error {
	out := &objectWriter{w: bufio.NewWriterSize(w, 1<<16)}
	var form exporter
	switch f {
	case Wire:
		form = wireExport{out}
	case JSON:
		form = &jsonExport{objectWriter: out}
	default:
		return engram.Errorf(engram.ErrInvalid, "format %q is not known", f).WithCode("invalid_format").
			WithHint("use %s or %s", Wire, JSON)
	}
	form.begin(s.opts.Now())
	done := 0
	err := s.store.Export(ctx, workspace, projects, batchSize, func(b store.Batch) error {
		form.batch(b)
		done += len(b.Sessions) + len(b.Memories) + len(b.Prompts)
		s.progress(done)
		return out.err
	})
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	form.end()
	return out.close()
}

// resolveAll follows the aliases of project names. One that nothing is filed under
// is refused: an empty export would look like one that was made.
func (s *Service) resolveAll(ctx context.Context, workspace string, projects []string) ([]string, error) {
	var out []string
	for _, p := range projects {
		asked := project.Normalize(p)
		if p != "" && asked == "" {
			return nil, engram.Errorf(engram.ErrInvalid, "the project is blank").WithCode("invalid_project").
				WithHint("name one, or leave it out")
		}
		name, err := s.store.ResolveProject(ctx, workspace, asked)
		if err == nil && name != "" {
			err = s.mustHave(ctx, workspace, name)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, name)
	}
	return out, nil
}

// mustHave is nil for a project that something is filed under, if only deleted
// memories; for others the error names those of a similar name.
func (s *Service) mustHave(ctx context.Context, workspace, name string) error {
	projects, err := s.store.ListProjects(ctx, workspace)
	if err != nil || slices.ContainsFunc(projects, func(p engram.Project) bool { return p.Name == name }) {
		return err
	}
	n, err := s.store.CountMemories(ctx, store.Filter{Workspace: workspace, Projects: []string{name}, Deleted: store.WithDeleted})
	if err != nil || n > 0 {
		return err
	}
	e := engram.Errorf(engram.ErrNotFound, "there is nothing in project %q", s.cleaner().id(name)).WithCode("unknown_project").
		WithHint("the list of projects says which there are")
	if similar := recall.SimilarProjects(name, projects); len(similar) > 0 {
		e = e.WithHint("similar projects: %s", strings.Join(similar, ", "))
	}
	return e
}

func (s *Service) progress(done int) {
	if s.opts.Progress != nil {
		s.opts.Progress(done)
	}
}

// objectWriter writes one JSON object whose lists may be longer than the
// memory of the machine: an item a line. The first error ends it.
type objectWriter struct {
	w     *bufio.Writer
	err   error
	wrote bool   // a field
	list  string // that is open
	items bool   // the open list has some
}

func (o *objectWriter) raw(s string) {
	if o.err == nil {
		_, o.err = o.w.WriteString(s)
	}
}

func (o *objectWriter) value(v any) {
	if o.err != nil {
		return
	}
	enc := json.NewEncoder(trimmed{o.w})
	enc.SetEscapeHTML(false)
	o.err = enc.Encode(v)
}

// trimmed leaves out the line break that an encoder ends each value with.
type trimmed struct{ w *bufio.Writer }

func (t trimmed) Write(p []byte) (int, error) {
	if n := len(p); n > 0 && p[n-1] == '\n' {
		written, err := t.w.Write(p[:n-1])
		return written + 1, err
	}
	return t.w.Write(p)
}

// field writes a field that is no list.
func (o *objectWriter) field(name string, v any) {
	o.key(name)
	o.value(v)
}

func (o *objectWriter) key(name string) {
	o.endList()
	if !o.wrote {
		o.raw("{\n")
	} else {
		o.raw(",\n")
	}
	o.wrote = true
	o.value(name)
	o.raw(": ")
}

// item writes an item of the list name, which it begins where it is not open.
func (o *objectWriter) item(name string, v any) {
	o.begin(name)
	if o.items {
		o.raw(",")
	}
	o.raw("\n  ")
	o.items = true
	o.value(v)
}

func (o *objectWriter) begin(name string) {
	if o.list == name {
		return
	}
	o.key(name)
	o.raw("[")
	o.list, o.items = name, false
}

func (o *objectWriter) endList() {
	if o.list == "" {
		return
	}
	if o.items {
		o.raw("\n")
	}
	o.raw("]")
	o.list = ""
}

func (o *objectWriter) close() error {
	o.endList()
	o.raw("\n}\n")
	if o.err != nil {
		return fmt.Errorf("write export: %w", o.err)
	}
	if err := o.w.Flush(); err != nil {
		return fmt.Errorf("write export: %w", err)
	}
	return nil
}
