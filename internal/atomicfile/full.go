package atomicfile

import (
	"errors"
	"runtime"
	"syscall"
)

// Windows's numbers for a full disk; no other system has them as errors of files.
const (
	errorHandleDiskFull = syscall.Errno(39)
	errorDiskFull       = syscall.Errno(112)
)

// IsFull reports whether a write failed for want of room: on the disk, in a
// quota, or in how large a file of this process may be. The error
// must have the system's own in its chain.
func IsFull(err error) bool {
	if runtime.GOOS == "windows" && (errors.Is(err, errorHandleDiskFull) || errors.Is(err, errorDiskFull)) {
		return true
	}
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG)
}
