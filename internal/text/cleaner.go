package text

import "slices"

// PrivateKind is the kind that a [Cleaner] notes for private spans.
const PrivateKind = "private"

// Cleaner makes texts fit to be kept: valid UTF-8, without private spans and,
// unless KeepSecrets is set, without credentials. One Cleaner serves the texts
// of one call and notes what kinds it took out. It is not for concurrent use.
type Cleaner struct {
	KeepSecrets bool
	kinds       []string
}

// Text is s as it may be kept. Cleaning it again changes nothing.
func (c *Cleaner) Text(s string) string {
	if s == "" {
		return s
	}
	s, private := StripPrivate(ValidUTF8(s))
	if private {
		c.note(PrivateKind)
	}
	if c.KeepSecrets {
		return s
	}
	s, kinds := RedactSecrets(s)
	for _, kind := range kinds {
		c.note(kind)
	}
	return s
}

func (c *Cleaner) note(kind string) {
	if !slices.Contains(c.kinds, kind) {
		c.kinds = append(c.kinds, kind)
	}
}

// Kinds are the kinds of what was taken out so far, in the order in which they
// were met: "private", or those of [RedactSecrets].
func (c *Cleaner) Kinds() []string { return slices.Clone(c.kinds) }
