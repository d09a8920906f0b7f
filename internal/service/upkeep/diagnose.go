package upkeep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"engram"
	"engram/internal/policy"
	"engram/internal/store"
)

// maxBackups is how many backups are looked at, newest first.
const maxBackups = 10

// Diagnose says why a store could not be opened, which is cause and may be the
// settings', what to do about it, and, where the store itself is at fault, which backups could take
// its place.
func Diagnose(ctx context.Context, opts Options, cause error) ([]store.Finding, error) {
	if _, err := policy.Check(ctx, policy.ManageStore); err != nil {
		return nil, err
	}
	f := store.Finding{Check: "open", Message: "the store cannot be opened: " + cause.Error()}
	e, ok := errors.AsType[*engram.Error](cause)
	if !ok {
		return []store.Finding{f}, nil
	}
	f.Message, f.Fix = "the store in "+opts.Dir+" cannot be opened: "+e.Message, e.Hint
	switch engram.ErrorCode(e) {
	case "bad_config": // nothing is known of the store
		f.Check, f.Message = "settings", "the settings are wrong, so that the store was not opened: "+e.Message
		return []store.Finding{f}, nil
	case "corrupt", "not_a_database":
		f.Fix = "restore a backup, as below; what is there now is kept beside it"
	case "newer_schema":
		f.Fix = e.Hint + ", or restore a backup from before, as below, which lacks what was saved since"
	case "foreign_database":
	default: // nothing that a backup would help with
		return []store.Finding{f}, nil
	}
	backups, err := New(nil, opts).checkBackups(ctx)
	return append([]store.Finding{f}, backups...), err
}

// checkBackups says of the newest backups in the data directory whether they
// can be restored, and how.
func (s *Service) checkBackups(ctx context.Context) ([]store.Finding, error) {
	paths, err := s.backupPaths()
	if err != nil {
		return nil, err
	}
	var all []backup
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, fmt.Errorf("backups: %w", err)
		}
		if filepath.Ext(path) == ".db" {
			all = append(all, backup{path, info.ModTime(), info.Size()})
		}
	}
	if len(all) == 0 {
		return []store.Finding{{
			Check: "backup", Message: "there is no backup in " + s.backupDir(),
			Fix: "restore a copy from elsewhere with engram restore FILE; to begin anew, move memory.db away, and keep it: sqlite3's .recover may read what is in it",
		}}, nil
	}
	slices.SortStableFunc(all, func(a, b backup) int { return cmp.Or(b.at.Compare(a.at), strings.Compare(b.path, a.path)) })
	var found []store.Finding
	for _, b := range all[:min(len(all), maxBackups)] {
		found = append(found, s.checkBackup(ctx, b))
	}
	if more := len(all) - maxBackups; more > 0 {
		found = append(found, store.Finding{Check: "backup", OK: true, Message: fmt.Sprintf("%d older ones are in %s", more, s.backupDir())})
	}
	return found, ctx.Err()
}

// backup is a backup file.
type backup struct {
	path string
	at   time.Time
	size int64
}

func (s *Service) checkBackup(ctx context.Context, b backup) store.Finding {
	f := store.Finding{
		Check: "backup", OK: true, Fix: "engram restore " + quoted(b.path),
		Message: fmt.Sprintf("%s of %s, %.1f MB", b.path, b.at.UTC().Format("2006-01-02 15:04 UTC"), float64(b.size)/1e6),
	}
	if s.opts.Restorable == nil {
		return f
	}
	if err := s.opts.Restorable(ctx, b.path); err != nil {
		f.OK, f.Fix = false, ""
		f.Message += " cannot be restored: " + reason(err)
	}
	return f
}

// reason is why a backup cannot be restored, without a hint at backups.
func reason(err error) string {
	if e, ok := errors.AsType[*engram.Error](err); ok {
		return e.Message
	}
	return err.Error()
}

// quoted is a path as a shell takes it for one word.
func quoted(path string) string {
	if !strings.ContainsAny(path, " \t'&;()$`*?[]<>|#") {
		return path
	}
	if os.PathSeparator == '\\' {
		return `"` + path + `"`
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}
