package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"sync"
)

// maxStatements bounds how many prepared statements a pool keeps: each holds
// memory on every connection.
const maxStatements = 96

// statements prepares each statement once. A pool may have a single
// connection, so nothing may be prepared on the pool while a transaction holds
// one: what a transaction misses is prepared inside it, noted as wanted, and
// prepared for good before the next transaction begins.
type statements struct {
	db     *sql.DB
	rebind func(string) string

	mu     sync.Mutex
	m      map[string]*sql.Stmt
	wanted []string
}

func (c *statements) text(query string) string {
	if c.rebind == nil {
		return query
	}
	return c.rebind(query)
}

func (c *statements) cached(query string) *sql.Stmt {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.m[query]
}

// inTx gives the form of query for tx.
func (c *statements) inTx(ctx context.Context, tx *sql.Tx, query string) (*sql.Stmt, error) {
	if stmt := c.cached(query); stmt != nil {
		return tx.StmtContext(ctx, stmt), nil
	}
	stmt, err := tx.PrepareContext(ctx, c.text(query)) //nolint:sqlclosecheck // closed with tx
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.m)+len(c.wanted) < maxStatements {
		c.wanted = append(c.wanted, query)
	}
	return stmt, nil
}

// prepareWanted prepares what transactions missed.
func (c *statements) prepareWanted(ctx context.Context) error {
	c.mu.Lock()
	wanted := c.wanted
	c.wanted = nil
	c.mu.Unlock()
	for _, query := range wanted {
		if _, _, err := c.onPool(ctx, query); err != nil { //nolint:sqlclosecheck // kept until close
			return err
		}
	}
	return nil
}

// onPool gives the prepared form of query for use outside a transaction. Call
// done when its result is read: a statement that there was no place for is
// closed then.
func (c *statements) onPool(ctx context.Context, query string) (stmt *sql.Stmt, done func(), err error) {
	if stmt := c.cached(query); stmt != nil {
		return stmt, func() {}, nil
	}
	stmt, err = c.db.PrepareContext(ctx, c.text(query))
	if err != nil {
		return nil, nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch other := c.m[query]; {
	case other != nil:
		return other, func() {}, stmt.Close()
	case len(c.m) >= maxStatements:
		return stmt, func() { _ = stmt.Close() }, nil
	}
	if c.m == nil {
		c.m = map[string]*sql.Stmt{}
	}
	c.m[query] = stmt
	return stmt, func() {}, nil
}

func (c *statements) close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var err error
	for _, stmt := range c.m {
		err = errors.Join(err, stmt.Close())
	}
	c.m = nil
	return err
}
