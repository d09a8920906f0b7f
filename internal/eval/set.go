package eval

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"engram"
)

// Set is a collection of documents with questions whose answers are known.
type Set struct {
	Name      string
	Documents []Document
	Questions []Question
	// Gold is question id → document id → grade, 1 or more.
	Gold map[string]map[string]int
}

// Document is a line of a set's corpus. Documents of one group stand in order
// of time.
type Document struct {
	ID      string    `json:"id"`
	Text    string    `json:"text"`
	Title   string    `json:"title"`
	Time    time.Time `json:"time"`
	Group   string    `json:"group"`
	Session string    `json:"session"`
	Speaker string    `json:"speaker"`
}

// Question is a line of a set's questions.
type Question struct {
	ID    string    `json:"id"`
	Text  string    `json:"text"`
	Group string    `json:"group"`
	Time  time.Time `json:"time"`
	Kind  string    `json:"kind"`
}

// project is a group as a project.
func (s *Set) project(group string) string {
	if group == "" {
		return s.Name
	}
	return s.Name + "/" + group
}

// LoadSet reads a set from its folder: corpus.jsonl or corpus.jsonl.gz,
// queries.jsonl, qrels.tsv.
func LoadSet(dir string) (*Set, error) {
	s := &Set{Name: filepath.Base(filepath.Clean(dir))}
	corpus, err := readMaybeGzip(filepath.Join(dir, "corpus.jsonl"))
	if err != nil {
		return nil, notASet(dir, err)
	}
	if s.Documents, err = readLines[Document](corpus); err != nil {
		return nil, fmt.Errorf("set %s: corpus: %w", s.Name, err)
	}
	questions, err := os.ReadFile(filepath.Join(dir, "queries.jsonl"))
	if err != nil {
		return nil, notASet(dir, err)
	}
	if s.Questions, err = readLines[Question](questions); err != nil {
		return nil, fmt.Errorf("set %s: queries: %w", s.Name, err)
	}
	gold, err := os.ReadFile(filepath.Join(dir, "qrels.tsv"))
	if err != nil {
		return nil, notASet(dir, err)
	}
	if s.Gold, err = readGold(gold); err != nil {
		return nil, fmt.Errorf("set %s: qrels.tsv: %w", s.Name, err)
	}
	return s, nil
}

// FindSets gives the folders of sets that dirs name: each is one, or holds some.
// Names that are not empty choose among them.
func FindSets(dirs, names []string) ([]string, error) {
	var found []string
	for _, dir := range dirs {
		if isSet(dir) {
			found = appendNew(found, dir)
			continue
		}
		entries, err := os.ReadDir(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
			return nil, fmt.Errorf("set %s: %w", dir, err)
		}
		some := false
		for _, e := range entries {
			if inside := filepath.Join(dir, e.Name()); isSet(inside) {
				found, some = appendNew(found, inside), true
			}
		}
		if !some {
			return nil, notASet(dir, fs.ErrNotExist)
		}
	}
	if len(names) == 0 {
		return found, nil
	}
	var chosen []string
	for _, name := range names {
		i := slices.IndexFunc(found, func(dir string) bool { return filepath.Base(dir) == name })
		if i < 0 {
			return nil, engram.Errorf(engram.ErrNotFound, "there is no set %q", name).WithCode("unknown_set").
				WithHint("there are %s", setNames(found))
		}
		chosen = append(chosen, found[i])
	}
	return chosen, nil
}

func appendNew(dirs []string, dir string) []string {
	if dir = filepath.Clean(dir); slices.Contains(dirs, dir) {
		return dirs
	}
	return append(dirs, dir)
}

func setNames(dirs []string) string {
	names := make([]string, 0, len(dirs))
	for _, dir := range dirs {
		names = append(names, filepath.Base(dir))
	}
	return strings.Join(names, ", ")
}

func isSet(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "queries.jsonl"))
	return err == nil
}

func notASet(dir string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return engram.Errorf(engram.ErrInvalid, "%s is not a benchmark set", dir).
			WithCode("not_a_set").WithHint("a set has corpus.jsonl or corpus.jsonl.gz, queries.jsonl and qrels.tsv; a folder of sets will do as well")
	}
	return err
}

// readMaybeGzip reads path, or path + ".gz" where only that is there.
func readMaybeGzip(path string) ([]byte, error) {
	b, err := os.ReadFile(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return b, err
	}
	f, err := os.Open(path + ".gz")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("%s.gz: %w", path, err)
	}
	return io.ReadAll(z)
}

func readLines[T any](b []byte) ([]T, error) {
	var out []T
	d := json.NewDecoder(bytes.NewReader(b))
	for {
		var v T
		err := d.Decode(&v)
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, fmt.Errorf("item %d: %w", len(out)+1, err)
		}
		out = append(out, v)
	}
}

func readGold(b []byte) (map[string]map[string]int, error) {
	gold := map[string]map[string]int{}
	lines := bufio.NewScanner(bytes.NewReader(b))
	for n := 1; lines.Scan(); n++ {
		f := strings.Split(lines.Text(), "\t")
		if len(f) != 3 {
			return nil, fmt.Errorf("line %d has %d fields, want 3", n, len(f))
		}
		grade, err := strconv.Atoi(strings.TrimSpace(f[2]))
		if err != nil {
			return nil, fmt.Errorf("line %d: grade: %w", n, err)
		}
		if gold[f[0]] == nil {
			gold[f[0]] = map[string]int{}
		}
		gold[f[0]][f[1]] = grade
	}
	return gold, lines.Err()
}
