package transfer

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"engram"
	"engram/internal/atomicfile"
)

// spoolMemory is how much of an export is kept in memory; the rest goes to a
// file.
const spoolMemory = 1 << 20

// spool keeps what is written to it until it is wanted.
type spool struct {
	dir  string // of the file, "" = the system's for temporary ones
	head bytes.Buffer
	file *atomicfile.File
	tail *os.File // what came after head
}

func (s *spool) Write(p []byte) (int, error) {
	if s.tail == nil && s.head.Len()+len(p) <= spoolMemory {
		return s.head.Write(p)
	}
	if s.tail == nil {
		if err := s.open(); err != nil {
			return 0, spoolError(err)
		}
	}
	n, err := s.tail.Write(p)
	return n, spoolError(err)
}

// open makes the file, for its owner only. A process that dies leaves it to the
// next one to remove.
func (s *spool) open() (err error) {
	dir := s.dir
	if dir == "" {
		dir = os.TempDir()
	}
	if s.file, err = atomicfile.New(filepath.Join(dir, "export.json")); err != nil {
		return err
	}
	s.tail, err = os.OpenFile(s.file.Path(), os.O_RDWR, 0)
	return err
}

func spoolError(err error) error {
	if atomicfile.IsFull(err) {
		return engram.Errorf(engram.ErrUnavailable, "the disk is full").WithCode("disk_full").
			WithHint("free some space: an export is put together in the data directory before it goes out")
	}
	return err
}

// copyTo writes all of it to w.
func (s *spool) copyTo(w io.Writer) error {
	_, err := io.Copy(w, onlyReader{&s.head})
	if err == nil && s.tail != nil {
		if _, err = s.tail.Seek(0, io.SeekStart); err == nil {
			_, err = io.Copy(w, onlyReader{s.tail})
		}
	}
	if err != nil {
		return fmt.Errorf("write export: %w", err)
	}
	return nil
}

// onlyReader hides how a buffer or a file would write itself: as one part,
// however long it is, while w may give each part its own time.
type onlyReader struct{ io.Reader }

// discard removes the file.
func (s *spool) discard() error {
	var err error
	if s.tail != nil {
		err = s.tail.Close()
	}
	if s.file != nil {
		err = errors.Join(err, s.file.Discard())
	}
	return err
}
