package embed

import (
	"fmt"
	"hash/fnv"
	"log/slog"
	"net/url"
	"regexp"
	"strings"

	"engram"
)

// Key is a secret that does not show when it is printed, logged or encoded. It
// is had by converting it to a string.
type Key string

const redacted = "[redacted]"

// String is "[redacted]", or "" if there is no key.
func (k Key) String() string {
	if k == "" {
		return ""
	}
	return redacted
}

// Format implements [fmt.Formatter] for every verb.
func (k Key) Format(f fmt.State, _ rune) { fmt.Fprint(f, k.String()) }

// LogValue implements [slog.LogValuer].
func (k Key) LogValue() slog.Value { return slog.StringValue(k.String()) }

// MarshalText implements [encoding.TextMarshaler].
func (k Key) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// apiVersion is a part of a path such as v1 or v1beta.
var apiVersion = regexp.MustCompile(`/v[0-9]+[a-z0-9]*(/|$)`)

// endpointURL makes the address to post to from what the user gave.
func endpointURL(base string) (*url.URL, error) {
	const example = "use an address like http://localhost:11434/v1"
	u, err := url.Parse(strings.TrimSpace(base))
	switch {
	case err != nil: // its message has the address, and that may have a password
		return nil, badSetting("embedder is not an address", example)
	case u.Scheme != "http" && u.Scheme != "https", u.Hostname() == "":
		return nil, badSetting("embedder is not an http or https address", example)
	case u.User != nil:
		return nil, badSetting("embedder has a name or password in the address", "take it out; a key goes into embedder_key")
	}
	u.Fragment, u.RawPath = "", ""
	u.Path = strings.TrimRight(u.Path, "/")
	switch {
	case strings.HasSuffix(u.Path, "/embeddings"):
	case apiVersion.MatchString(u.Path):
		u.Path += "/embeddings"
	default:
		u.Path += "/v1/embeddings"
	}
	return u, nil
}

// shown is an address for people. A query may have a key in it.
func shown(u *url.URL) string {
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

func badSetting(message, hint string) error {
	return engram.Errorf(engram.ErrInvalid, "%s", message).WithCode("bad_config").WithHint("%s", hint)
}

func isControl(r rune) bool { return r < ' ' || r == 0x7f }

func prefixHash(s string) string {
	h := fnv.New32a()
	h.Write([]byte(s))
	return fmt.Sprintf("%08x", h.Sum32())
}
