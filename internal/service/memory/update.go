package memory

import (
	"cmp"
	"context"
	"strings"

	"engram"
	"engram/internal/policy"
	"engram/internal/store"
)

// Update changes fields of a memory; the version before stays in its history.
func (s *Service) Update(ctx context.Context, id int64, in UpdateInput) (Updated, error) {
	actor, err := policy.Check(ctx, policy.WriteMemory)
	if err != nil {
		return Updated{}, err
	}
	if in == (UpdateInput{}) {
		return Updated{}, engram.Errorf(engram.ErrInvalid, "nothing to change was given").WithCode("nothing_to_update")
	}
	c := s.cleaner()
	patch, err := s.patch(ctx, c, actor.Workspace, in)
	if err != nil {
		return Updated{}, err
	}
	origin := cmp.Or(actor.Origin, engram.OriginAgent)
	trust := engram.TrustOf(origin)
	patch.Origin, patch.Trust = &origin, &trust
	m, err := s.store.UpdateMemory(ctx, actor.Workspace, id, patch, s.now())
	if err != nil {
		return Updated{}, err
	}
	return Updated{m, c.Kinds()}, nil
}

// patch cleans and checks what is to change.
func (s *Service) patch(ctx context.Context, c *cleaner, workspace string, in UpdateInput) (store.Patch, error) {
	p := store.Patch{Importance: in.Importance}
	if err := s.patchText(c, in, &p); err != nil {
		return p, err
	}
	if in.Scope != nil {
		scope, err := engram.ParseScope(*in.Scope)
		if err != nil {
			return p, err
		}
		p.Scope = &scope
	}
	if in.TopicKey != nil {
		key, err := c.topicKey(*in.TopicKey)
		if err != nil {
			return p, err
		}
		p.TopicKey = &key
	}
	if in.Project != nil {
		name, err := c.project(*in.Project)
		if err != nil {
			return p, err
		}
		if name, err = s.patchProject(ctx, workspace, name); err != nil {
			return p, err
		}
		p.Project = &name
	}
	if in.Importance != nil {
		if err := engram.CheckImportance(*in.Importance); err != nil {
			return p, err
		}
	}
	if in.Files != nil {
		files := c.files(*in.Files)
		if err := engram.CheckFiles(files); err != nil {
			return p, err
		}
		p.Files = &files
	}
	return p, nil
}

func (s *Service) patchText(c *cleaner, in UpdateInput, p *store.Patch) error {
	if in.Title != nil {
		title := strings.TrimSpace(c.Text(*in.Title))
		if err := engram.CheckTitle(title); err != nil {
			return err
		}
		p.Title = &title
	}
	if in.Content != nil {
		content := c.Text(*in.Content)
		if err := engram.CheckText("content", content, s.opts.MaxContent); err != nil {
			return err
		}
		hash := engram.ContentHash(content)
		p.Content, p.Hash = &content, &hash
	}
	if in.Type != nil {
		typ := c.line(*in.Type)
		if err := engram.CheckType(typ); err != nil {
			return err
		}
		p.Type = &typ
	}
	if in.Status != nil {
		status := c.line(*in.Status)
		if err := engram.CheckName("status", status); err != nil {
			return err
		}
		p.Status = &status
	}
	return nil
}

// patchProject is where a memory is moved to; "" takes it out of its project.
func (s *Service) patchProject(ctx context.Context, workspace, project string) (string, error) {
	if project == "" {
		return "", nil
	}
	where, err := s.fileUnder(ctx, workspace, project)
	return where.name, err
}

// Pin sets or clears the pin of a memory: pinned ones come first in the context
// and are never forgotten.
func (s *Service) Pin(ctx context.Context, id int64, pinned bool) (*engram.Memory, error) {
	actor, err := policy.Check(ctx, policy.WriteMemory)
	if err != nil {
		return nil, err
	}
	if err := s.store.PinMemory(ctx, actor.Workspace, id, pinned, s.now()); err != nil {
		return nil, err
	}
	return s.store.Memory(ctx, actor.Workspace, id, false)
}
