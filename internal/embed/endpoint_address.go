package embed

import (
	"fmt"
	"hash/fnv"
	"net/url"
	"regexp"
	"strings"

	"engram/internal/remote"
)

// apiVersion is a part of a path such as v1 or v1beta.
var apiVersion = regexp.MustCompile(`/v[0-9]+[a-z0-9]*(/|$)`)

// endpointURL makes the address to post to from what the user gave.
func endpointURL(base string) (*url.URL, error) {
	u, err := remote.Address("embedder", "embedder_key", base, "http://localhost:11434/v1")
	if err != nil {
		return nil, err
	}
	switch {
	case strings.HasSuffix(u.Path, "/embeddings"):
	case apiVersion.MatchString(u.Path):
		u.Path += "/embeddings"
	default:
		u.Path += "/v1/embeddings"
	}
	return u, nil
}

func isControl(r rune) bool { return r < ' ' || r == 0x7f }

func prefixHash(s string) string {
	h := fnv.New32a()
	h.Write([]byte(s))
	return fmt.Sprintf("%08x", h.Sum32())
}
