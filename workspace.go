package engram

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"
	"unicode/utf8"
)

// DefaultWorkspace is the tenant of a store that has no accounts.
const DefaultWorkspace = "default"

// Access is what an actor may do with the memories of its workspace.
type Access int

// The accesses; each includes the ones before it.
const (
	AccessNone  Access = iota
	AccessRead         // look, search, recall
	AccessWrite        // save, edit, delete softly
	AccessAdmin        // erase, merge projects, import, restore, settings
)

// Actor is who is asking. The zero Actor may do nothing.
type Actor struct {
	Name      string // for logs and the activity list: "mcp", "cli", "rest"
	Workspace string
	Access    Access
	Origin    Origin // what a save by this actor counts as when it does not say
}

type actorKey struct{}

// WithActor returns a context that carries who is asking.
func WithActor(ctx context.Context, a Actor) context.Context {
	return context.WithValue(ctx, actorKey{}, a)
}

// ActorFrom is who is asking, or the zero Actor.
func ActorFrom(ctx context.Context) Actor {
	a, _ := ctx.Value(actorKey{}).(Actor)
	return a
}

// NewUID returns a fresh identifier that sorts by time: 26 characters of
// Crockford base 32, lower case (the form of a ULID).
func NewUID(now time.Time) string {
	const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"
	var b [16]byte
	ms := uint64(now.UnixMilli())
	for i := range 6 {
		b[i] = byte(ms >> (40 - 8*i))
	}
	rand.Read(b[6:])
	out := make([]byte, 26)
	var acc, bits uint
	j := 25
	for i := 15; i >= 0; i-- {
		acc |= uint(b[i]) << bits
		for bits += 8; bits >= 5; bits -= 5 {
			out[j] = alphabet[acc&31]
			acc >>= 5
			j--
		}
	}
	for ; j >= 0; j-- {
		out[j] = alphabet[acc&31]
		acc >>= 5
	}
	return string(out)
}

// ContentHash is the key under which equal texts are found: SHA-256 in hex of
// the full text in lower case with runs of white space as one space.
func ContentHash(content string) string {
	sum := sha256.Sum256([]byte(strings.ToLower(strings.Join(strings.Fields(content), " "))))
	return hex.EncodeToString(sum[:])
}

// NormalizeTopicKey is the stored form of a topic key: trimmed, lower case,
// runs of white space as one dash, any script. A key of over [MaxTopicKey]
// runes is [ErrTooLarge]: cutting it could make two topics one. Marks of what was
// taken out do not count.
func NormalizeTopicKey(key string) (string, error) {
	k := strings.ToLower(strings.Join(strings.Fields(key), "-"))
	if n := utf8.RuneCountInString(k) - redactions(k); n > MaxTopicKey {
		return "", Errorf(ErrTooLarge, "topic_key has %d characters, at most %d are kept", n, MaxTopicKey).
			WithCode("topic_key_too_long").WithHint("use a short key like family/segment")
	}
	return k, nil
}
