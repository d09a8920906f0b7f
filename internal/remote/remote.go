// Package remote has what the clients of model servers share: addresses and keys
// of settings, requests that a key and texts do not leak from, what an error of a
// server says, and when a server is left in peace. What is asked, and what an
// answer means, is the affair of the client: embed's, rerank's.
package remote

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

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

// Check is [engram.ErrInvalid] for what no header may hold; setting is the key's name.
func (k Key) Check(setting string) error {
	if strings.ContainsFunc(string(k), func(r rune) bool { return r <= ' ' || r > '~' }) {
		return BadSetting(setting+" has a blank, a line break or a letter that no key has", "give the key alone")
	}
	return nil
}

// Address reads the address of a server from the setting of a name, without a
// slash at its end. The key has a setting of its own: keySetting. The error is
// [engram.ErrInvalid], and does not repeat the address: it may have a password.
func Address(setting, keySetting, value, example string) (*url.URL, error) {
	hint := "use an address like " + example
	u, err := url.Parse(strings.TrimSpace(value))
	switch {
	case err != nil:
		return nil, BadSetting(setting+" is not an address", hint)
	case u.Scheme != "http" && u.Scheme != "https", u.Hostname() == "":
		return nil, BadSetting(setting+" is not an http or https address", hint)
	case u.User != nil:
		return nil, BadSetting(setting+" has a name or password in the address", "take it out; a key goes into "+keySetting)
	}
	u.Fragment, u.RawPath = "", ""
	u.Path = strings.TrimRight(u.Path, "/")
	return u, nil
}

// BadSetting is [engram.ErrInvalid] for a setting.
func BadSetting(message, hint string) error {
	return engram.Errorf(engram.ErrInvalid, "%s", message).WithCode("bad_config").WithHint("%s", hint)
}

// Shown is an address for people. A query may have a key in it.
func Shown(u *url.URL) string {
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

// NewRequest makes a POST of JSON with the key as a bearer token.
func NewRequest(ctx context.Context, u *url.URL, key Key, body []byte) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, u.String(), bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("make request: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "engram")
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+string(key))
	}
	// Not sent, but tells the transport that the request may be sent again when the
	// server has closed an idle connection.
	req.Header["Idempotency-Key"] = []string{}
	return req, nil
}

// CheckRedirect follows a redirect that stays with the server and keeps the
// method. To others neither the key nor the texts go.
func CheckRedirect(req *http.Request, via []*http.Request) error {
	first := via[0].URL
	if len(via) > 3 || req.Method != via[0].Method || req.URL.Host != first.Host || req.URL.Scheme != first.Scheme {
		return http.ErrUseLastResponse
	}
	return nil
}

// ErrSlow is why a context ended that is not the caller's.
var ErrSlow = errors.New("no answer in time")

// OwnEnd is the error of a context that the caller ended.
func OwnEnd(ctx context.Context) error {
	if ctx.Err() == nil || errors.Is(context.Cause(ctx), ErrSlow) {
		return nil
	}
	return ctx.Err()
}

// MaxHold is how long a server may keep requests back.
const MaxHold = 5 * time.Minute

// RetryAfter reads the header of that name: seconds, or a date.
func RetryAfter(h http.Header, now time.Time) time.Duration {
	v := strings.TrimSpace(h.Get("Retry-After"))
	if v == "" {
		return 0
	}
	var d time.Duration
	if seconds, err := strconv.ParseFloat(v, 64); err == nil {
		d = time.Duration(min(max(seconds, 0), MaxHold.Seconds()) * float64(time.Second))
	} else if at, err := http.ParseTime(v); err == nil {
		d = at.Sub(now)
	}
	return min(max(d, 0), MaxHold)
}
