package eval

import (
	"bytes"
	"os"
	"strconv"
)

// residentSize is the memory of this process that is in RAM, where the system
// tells it under /proc, else 0.
func residentSize() int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range bytes.Lines(status) {
		f := bytes.Fields(line)
		if len(f) < 2 || string(f[0]) != "VmRSS:" {
			continue
		}
		kb, err := strconv.ParseInt(string(f[1]), 10, 64)
		if err != nil {
			return 0
		}
		return kb << 10
	}
	return 0
}
