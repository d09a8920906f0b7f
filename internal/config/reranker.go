package config

import (
	"cmp"
	"strings"
	"time"

	"engram"
	"engram/internal/remote"
	"engram/internal/rerank"
)

// Reranker is a model that looks at the best of what was found once more.
type Reranker struct {
	URL     string // of a rerank API; "" = none
	Model   string // "" = the one that the server has
	Key     remote.Key
	Timeout time.Duration // how long a question waits for it
}

// rerankerFile is its part of config.toml.
type rerankerFile struct {
	Reranker        *string `toml:"reranker"`
	RerankerModel   *string `toml:"reranker_model"`
	RerankerKey     *string `toml:"reranker_key"`
	RerankerTimeout *string `toml:"reranker_timeout"`
}

// off is the value of reranker that stands for none.
const off = "off"

func (r *Reranker) read(f *rerankerFile, path string) error {
	set(&r.URL, f.Reranker)
	set(&r.Model, f.RerankerModel)
	if f.RerankerKey != nil {
		r.Key = remote.Key(*f.RerankerKey)
	}
	return r.setTimeout(f.RerankerTimeout, path+": reranker_timeout")
}

func (r *Reranker) readEnvironment(getenv func(string) string) error {
	if v := getenv("ENGRAM_RERANKER"); v != "" {
		r.URL = v
	}
	if v := getenv("ENGRAM_RERANKER_MODEL"); v != "" {
		r.Model = v
	}
	if v := getenv("ENGRAM_RERANKER_KEY"); v != "" {
		r.Key = remote.Key(v)
	}
	if v := getenv("ENGRAM_RERANKER_TIMEOUT"); v != "" {
		return r.setTimeout(&v, "ENGRAM_RERANKER_TIMEOUT")
	}
	return nil
}

// maxRerankerTimeout is longer than anybody waits for an answer.
const maxRerankerTimeout = time.Minute

func (r *Reranker) setTimeout(v *string, where string) error {
	if v == nil {
		return nil
	}
	d, err := time.ParseDuration(*v)
	if err != nil || d <= 0 || d > maxRerankerTimeout {
		return invalid(where, *v, "use a time like 500ms or 2s, at most 1m")
	}
	r.Timeout = d
	return nil
}

// check refuses settings of a reranker that none is named for. Whether the address
// is of use, who asks it finds out. "off" turns a reranker off, whatever else is set.
func (r *Reranker) check() error {
	r.URL = strings.TrimSpace(r.URL)
	if strings.EqualFold(r.URL, off) {
		*r = Reranker{}
		return nil
	}
	if r.URL != "" {
		r.Timeout = cmp.Or(r.Timeout, rerank.DefaultTimeout)
		return nil
	}
	for _, s := range []struct {
		name string
		set  bool
	}{
		{"reranker_model", r.Model != ""},
		{"reranker_key", r.Key != ""},
		{"reranker_timeout", r.Timeout != 0},
	} {
		if s.set {
			return engram.Errorf(engram.ErrInvalid, "%s is set, and reranker is not", s.name).WithCode("bad_config").
				WithHint("set reranker to the address of a rerank API, such as http://localhost:8080, or to off for none")
		}
	}
	return nil
}
