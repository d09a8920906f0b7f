// Package atomicfile makes files that are there whole or not at all: written in
// a place of their own beside where they go, brought to the disk, then moved.
// What a process that died left in such places the next one removes. What is
// in the files, and who may write them, is the callers' affair.
package atomicfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Directories of files that are being written: .engram-123.tmp.
const (
	prefix = ".engram-"
	suffix = ".tmp"
)

// staleAfter is how long nobody wrote to a directory that counts as left behind
// where the system cannot say whether its owner lives.
const staleAfter = time.Hour

// File is a file that is being written. Others do not see it before [File.Commit].
type File struct {
	path string    // where it goes
	dir  string    // where it is written, with what its writer keeps beside it
	held io.Closer // holds the lock on dir that says that this process lives
}

// New begins the file that is to be path, for the owner only, and removes what
// dead processes left beside it. [File.Discard] must be called in the end.
func New(path string) (*File, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	parent := filepath.Dir(path)
	if err := Sweep(parent); err != nil {
		return nil, err
	}
	f := &File{path: path}
	for f.held == nil { // once more where a sweep came between making and locking
		if f.dir, err = os.MkdirTemp(parent, prefix+"*"+suffix); err != nil {
			return nil, err
		}
		if f.held, err = hold(f.dir); err != nil {
			return nil, errors.Join(err, os.RemoveAll(f.dir))
		}
	}
	made, err := os.OpenFile(f.Path(), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err == nil {
		err = made.Close()
	}
	if err != nil {
		return nil, errors.Join(err, f.Discard())
	}
	return f, nil
}

// Path is the empty file to write to.
func (f *File) Path() string { return filepath.Join(f.dir, filepath.Base(f.path)) }

// Commit brings what was written to the disk and moves it to its place. What is
// there already is written over with replace, else it stays and the error is
// [fs.ErrExist].
func (f *File) Commit(replace bool) error {
	if err := syncFile(f.Path()); err != nil {
		return err
	}
	if err := f.move(replace); err != nil {
		return err
	}
	syncDir(filepath.Dir(f.path))
	return f.Discard()
}

// move gives the file its name. A link cannot write over what is there; file
// systems that know none, like those of memory sticks, get a look before.
func (f *File) move(replace bool) error {
	if replace {
		return os.Rename(f.Path(), f.path)
	}
	err := os.Link(f.Path(), f.path)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	if _, err := os.Lstat(f.path); err == nil {
		return &fs.PathError{Op: "create", Path: f.path, Err: fs.ErrExist}
	}
	return os.Rename(f.Path(), f.path)
}

// Discard removes what was written and not committed; after Commit it does
// nothing.
func (f *File) Discard() error {
	if f.dir == "" {
		return nil
	}
	dir := f.dir
	f.dir = ""
	err := os.RemoveAll(dir) // before the lock goes, so that nobody else takes it for left behind
	if f.held != nil {
		err = errors.Join(err, f.held.Close())
	}
	return err
}

// Sweep removes from dir what processes that died were writing there.
func Sweep(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return nil // then nothing of ours is there, or whoever writes there next says so
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), prefix) || !strings.HasSuffix(e.Name(), suffix) {
			continue
		}
		path := filepath.Join(dir, e.Name())
		if !abandoned(path) {
			continue
		}
		if err := os.RemoveAll(path); err != nil && !errors.Is(err, fs.ErrPermission) {
			return err
		}
	}
	return nil
}

// old reports whether nobody has written to dir or into it for long.
func old(dir string) bool {
	limit := time.Now().Add(-staleAfter)
	info, err := os.Stat(dir)
	if err != nil || info.ModTime().After(limit) {
		return false
	}
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || info.ModTime().After(limit) {
			return false
		}
	}
	return err == nil
}

func syncFile(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// syncDir brings a new name to the disk. Not every system can; the file itself
// is safe by then.
func syncDir(dir string) {
	f, err := os.Open(dir)
	if err != nil {
		return
	}
	_, _ = f.Sync(), f.Close()
}
