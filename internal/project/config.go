package project

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"engram"
)

// maxFile is how many bytes of a config file are read.
const maxFile = 1 << 20

// fromConfig looks for the nearest .engram/config.json that names a project,
// from the directory up to the home directory and not in it: what lies there
// are the user's own settings.
func (s *search) fromConfig(ctx context.Context) (id engram.ProjectIdentity, ok bool) {
	if s.isHome(s.dir) {
		return id, false
	}
	s.up(ctx, func(dir string) bool {
		path := filepath.Join(dir, ".engram", "config.json")
		name, err := configName(path)
		if err != nil {
			s.warn(fmt.Sprintf("%s is skipped: %v", path, err))
			return false
		}
		if name != "" {
			id = engram.ProjectIdentity{Name: name, Source: engram.ProjectConfig, Path: path}
		}
		return name != ""
	}, s.isHome)
	return id, id.Name != ""
}

// configName is the project_name of a config file, "" when there is no file or
// it names none.
func configName(path string) (string, error) {
	data, err := readFile(path)
	if errors.Is(err, fs.ErrNotExist) || isNotDirectory(err) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	var c struct {
		ProjectName *string `json:"project_name"`
	}
	if err := json.Unmarshal(bytes.TrimPrefix(data, []byte("\uFEFF")), &c); err != nil {
		return "", fmt.Errorf("it is not the JSON expected: %w", err)
	}
	if c.ProjectName == nil {
		return "", nil
	}
	name := Normalize(*c.ProjectName)
	switch {
	case name == "":
		return "", errors.New("project_name is empty")
	case len(name) > engram.MaxName:
		return "", fmt.Errorf("project_name has %d bytes, at most %d are kept", len(name), engram.MaxName)
	}
	return name, nil
}

// readFile reads a regular file of at most maxFile bytes.
func readFile(path string) ([]byte, error) {
	info, err := os.Stat(path) // not Open first: a pipe would block
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(data) > maxFile {
		return nil, fmt.Errorf("larger than %d bytes", maxFile)
	}
	return data, err
}
