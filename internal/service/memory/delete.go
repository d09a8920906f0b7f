package memory

import (
	"context"

	"engram"
	"engram/internal/policy"
	"engram/internal/store"
)

// Delete hides a memory until [Service.Restore], or with hard erases it for
// good. The receipt says what went, and where copies may remain that this store
// cannot reach.
func (s *Service) Delete(ctx context.Context, id int64, hard bool) (engram.Receipt, error) {
	action := policy.WriteMemory
	if hard {
		action = policy.EraseMemory
	}
	actor, err := policy.Check(ctx, action)
	if err != nil {
		return engram.Receipt{}, err
	}
	if !hard {
		return s.store.DeleteMemory(ctx, actor.Workspace, id, s.now())
	}
	receipt, err := s.store.EraseMemory(ctx, actor.Workspace, id, s.now())
	if err != nil {
		return engram.Receipt{}, err
	}
	if s.opts.Backups != nil {
		for _, name := range s.opts.Backups() {
			receipt.Copies = append(receipt.Copies, "backup "+name)
		}
	}
	return receipt, nil
}

// Restored is what [Service.Restore] brought back. It may have had to leave its
// topic key, or never have been away.
type Restored = store.Restored

// Restore brings a softly deleted memory back.
func (s *Service) Restore(ctx context.Context, id int64) (Restored, error) {
	actor, err := policy.Check(ctx, policy.WriteMemory)
	if err != nil {
		return Restored{}, err
	}
	return s.store.RestoreMemory(ctx, actor.Workspace, id, s.now())
}
