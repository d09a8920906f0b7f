package app

import (
	"context"
	"errors"
	"strings"

	"engram"
	"engram/internal/store/postgres"
	"engram/internal/store/sqlite"
	"engram/internal/store/sqlstore"
)

// Copied is a table of a migrated store.
type Copied = sqlstore.Copied

// Migrate copies everything from one store to another, empty one: each is named as
// sqlite:PATH or postgres://…. What was broken off is gone on with when it is called
// again. The store that it comes from is not changed.
func Migrate(ctx context.Context, from, to string, progress func(Copied)) (all []Copied, err error) {
	source, closeSource, err := openSide(ctx, "--from", from, true)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, closeSource()) }()
	target, closeTarget, err := openSide(ctx, "--to", to, false)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, closeTarget()) }()
	return target.CopyFrom(ctx, source, withoutSecret(from), sqlstore.CopyOptions{Progress: progress})
}

func openSide(ctx context.Context, flag, address string, source bool) (*sqlstore.Store, func() error, error) {
	if path, ok := strings.CutPrefix(address, "sqlite:"); ok && path != "" {
		st, err := sqlite.Open(ctx, path, sqlite.Options{ReadOnly: source})
		if err != nil {
			return nil, nil, err
		}
		return st.Store, st.Close, nil
	}
	if strings.HasPrefix(address, "postgres://") || strings.HasPrefix(address, "postgresql://") {
		st, err := postgres.Open(ctx, address, postgres.Options{})
		if err != nil {
			return nil, nil, err
		}
		return st.Store, st.Close, nil
	}
	return nil, nil, engram.Errorf(engram.ErrInvalid, "%s names no store", flag).WithCode("bad_store").
		WithHint("write sqlite:PATH, such as sqlite:~/.engram/memory.db, or postgres://user:password@host:5432/name")
}

// withoutSecret is an address without user and password.
func withoutSecret(address string) string {
	scheme, rest, ok := strings.Cut(address, "://")
	if !ok {
		return address
	}
	if i := strings.LastIndexByte(rest, '@'); i >= 0 {
		rest = rest[i+1:]
	}
	return scheme + "://" + rest
}
