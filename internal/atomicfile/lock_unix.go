//go:build linux || darwin

package atomicfile

import (
	"errors"
	"io"
	"os"
	"syscall"
)

// hold locks dir for as long as this process lives; nil when a sweep was faster
// and dir is gone. A file system without locks gives a file without one.
func hold(dir string) (io.Closer, error) {
	f, err := os.Open(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	_ = syscall.Flock(int(f.Fd()), syscall.LOCK_EX) // without one, abandoned goes by age
	made, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if there, err := os.Stat(dir); err != nil || !os.SameFile(made, there) {
		return nil, f.Close()
	}
	return f, nil
}

// abandoned reports whether the process that made dir is dead: the system took
// its lock away.
func abandoned(dir string) bool {
	f, err := os.Open(dir)
	if err != nil {
		return false
	}
	defer f.Close()
	switch err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); {
	case err == nil:
		return true
	case errors.Is(err, syscall.EWOULDBLOCK):
		return false
	}
	return old(dir)
}
