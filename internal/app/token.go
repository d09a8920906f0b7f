package app

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"engram"
)

// Token reads the local API token of a data directory and makes one where there
// is none. Two processes that make it at once end up with the same.
func Token(dir string) (token, path string, err error) {
	path = filepath.Join(dir, "token")
	if token, err := readToken(path); err == nil || !errors.Is(err, fs.ErrNotExist) {
		return token, path, err
	}
	var b [24]byte
	rand.Read(b[:])
	tmp, err := os.CreateTemp(dir, ".token-*") // created 0600
	if err != nil {
		return "", path, engram.Errorf(engram.ErrUnavailable, "cannot write the token: %v", err)
	}
	defer os.Remove(tmp.Name()) // linked under its name by then, or of no use
	_, err = tmp.WriteString(hex.EncodeToString(b[:]) + "\n")
	if err := errors.Join(err, tmp.Close()); err != nil {
		return "", path, engram.Errorf(engram.ErrUnavailable, "cannot write the token: %v", err)
	}
	// A link, unlike a rename, fails where another process was first.
	if err := os.Link(tmp.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		if err := os.Rename(tmp.Name(), path); err != nil { // a file system without links
			return "", path, engram.Errorf(engram.ErrUnavailable, "cannot write the token: %v", err)
		}
	}
	token, err = readToken(path)
	return token, path, err
}

func readToken(path string) (string, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	token := strings.TrimSpace(string(b))
	if len(token) < 16 {
		return "", engram.Errorf(engram.ErrInvalid, "%s holds no token", path).
			WithCode("bad_token_file").WithHint("delete the file; the next start makes a new one")
	}
	return token, nil
}
