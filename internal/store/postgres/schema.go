package postgres

import (
	"context"
	"errors"
	"fmt"
	"net/url"

	"github.com/jackc/pgx/v5"

	"engram"
)

// Schema makes a schema in the database of an address, where there is none of that
// name, and gives the address of a store in it. drop takes it away with all in it.
func Schema(ctx context.Context, address, name string) (inside string, drop func(context.Context) error, err error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", nil, engram.Errorf(engram.ErrInvalid, "that is not the address of a PostgreSQL database").
			WithCode("bad_config").WithHint("write it as postgres://user:password@host:5432/name")
	}
	quoted := pgx.Identifier{name}.Sanitize()
	run := func(ctx context.Context, statements ...string) (err error) {
		conn, err := pgx.Connect(ctx, address)
		if err != nil {
			return hidden{err}
		}
		defer func() { err = errors.Join(err, conn.Close(ctx)) }()
		for _, s := range statements {
			if _, err := conn.Exec(ctx, s); err != nil {
				return hidden{err}
			}
		}
		return nil
	}
	// The extensions are not in the schema: they would go with it.
	err = run(ctx, `CREATE EXTENSION IF NOT EXISTS vector`, `CREATE EXTENSION IF NOT EXISTS pg_trgm`, `CREATE SCHEMA IF NOT EXISTS `+quoted)
	if err != nil {
		return "", nil, fmt.Errorf("make schema %s: %w", name, err)
	}
	q := u.Query()
	q.Set("search_path", quoted+",public")
	u.RawQuery = q.Encode()
	return u.String(), func(ctx context.Context) error { return run(ctx, `DROP SCHEMA IF EXISTS `+quoted+` CASCADE`) }, nil
}
