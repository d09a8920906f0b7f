package sqlite

import (
	"database/sql"
	"errors"
	"fmt"
	"os"

	"github.com/ncruces/go-sqlite3"

	"engram"
	"engram/internal/atomicfile"
)

// mapError turns what SQLite's codes say about the state of file and disk into
// errors that people may see; other errors stay faults.
func mapError(err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*engram.Error](err); ok {
		return err
	}
	var code sqlite3.ErrorCode
	if !errors.As(err, &code) {
		if errors.Is(err, sql.ErrConnDone) {
			return errClosed
		}
		return err
	}
	if atomicfile.IsFull(err) {
		code = sqlite3.FULL
	}
	trouble := troubleOf(code)
	if trouble == nil {
		return err
	}
	return fmt.Errorf("%w (%w)", trouble, err)
}

// isBusy reports whether another connection was in the way.
func isBusy(err error) bool {
	return errors.Is(err, sqlite3.BUSY) || errors.Is(err, sqlite3.LOCKED)
}

// diskError is err with the cause that SQLite lost on its way: when a write to
// the file path, or beside it, fails because the disk is full, most often only
// "I/O error" is left of it. So the disk is tried.
func diskError(path string, err error) error {
	if (errors.Is(err, sqlite3.IOERR) || errors.Is(err, sqlite3.CANTOPEN)) && !hasRoom(path) {
		return fmt.Errorf("%w: %w", sqlite3.FULL, err)
	}
	return err
}

// roomTried is more than SQLite asks for at once: the first part of a log's index
// has 32 KiB.
const roomTried = 64 << 10

// hasRoom reports whether the store path could grow, in the directory and beyond
// the size that it has: false only where the system says that it could not.
func hasRoom(path string) bool {
	size := int64(0)
	for _, file := range storeFiles(path) {
		if info, err := os.Stat(file); err == nil {
			size = max(size, info.Size())
		}
	}
	f, err := atomicfile.New(path)
	if err != nil {
		return !atomicfile.IsFull(err)
	}
	err = os.WriteFile(f.Path(), make([]byte, roomTried), 0o600)
	if err == nil {
		err = os.Truncate(f.Path(), size+roomTried) // takes no room, but a limit on the size of files holds
	}
	_ = f.Discard() // or the next one removes it
	return !atomicfile.IsFull(err)
}

var errClosed = engram.Errorf(engram.ErrUnavailable, "the store is closed").WithCode("closed")

func troubleOf(code sqlite3.ErrorCode) *engram.Error {
	trouble := func(code, hint, message string) *engram.Error {
		return engram.Errorf(engram.ErrUnavailable, "%s", message).WithCode(code).WithHint("%s", hint)
	}
	switch code {
	case sqlite3.BUSY, sqlite3.LOCKED:
		return trouble("busy", "try again", "another process is writing to the store")
	case sqlite3.FULL:
		return trouble("disk_full", "free some space and try again; nothing was stored", "the disk is full")
	case sqlite3.READONLY:
		return trouble("read_only", "make the data directory and its files writable", "the store is read-only")
	case sqlite3.CANTOPEN, sqlite3.PERM, sqlite3.AUTH:
		return trouble("cannot_open", "check that you may read and write the data directory", "the store cannot be opened")
	case sqlite3.CORRUPT:
		return trouble("corrupt", "run engram doctor, which names the backups that can be restored", "the store is damaged")
	case sqlite3.NOTADB:
		return trouble("not_a_database", "run engram doctor, which names the backups that can be restored", "the file is not an Engram store")
	case sqlite3.IOERR:
		return trouble("io_error", "check the disk, then run engram doctor", "the disk reports an error")
	case sqlite3.TOOBIG:
		return engram.Errorf(engram.ErrTooLarge, "the text is too long to be stored").WithCode("too_large")
	}
	return nil
}
