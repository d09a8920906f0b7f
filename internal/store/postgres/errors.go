package postgres

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"engram"
)

var errClosed = engram.Errorf(engram.ErrUnavailable, "the store is closed").WithCode("closed")

// mapError turns what PostgreSQL's codes say about the state of the server into
// errors that people may see; other errors stay faults.
func (s *Store) mapError(err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*engram.Error](err); ok {
		return err
	}
	trouble := s.troubleOf(err)
	if trouble == nil {
		return err
	}
	return fmt.Errorf("%w (%w)", trouble, hidden{err})
}

// hidden is an error without the address and the user that a driver puts into it:
// an address may have a password.
type hidden struct{ err error }

func (h hidden) Unwrap() error { return h.err }

func (h hidden) Error() string {
	if e, ok := errors.AsType[*pgconn.PgError](h.err); ok {
		return e.Severity + ": " + e.Message + " (SQLSTATE " + e.Code + ")"
	}
	if e, ok := errors.AsType[*net.OpError](h.err); ok {
		return e.Err.Error()
	}
	text := h.err.Error()
	if i := strings.LastIndex(text, ": "); i >= 0 {
		text = text[i+2:]
	}
	return text
}

func (s *Store) troubleOf(err error) *engram.Error {
	trouble := func(code, hint, format string, args ...any) *engram.Error {
		return engram.Errorf(engram.ErrUnavailable, format, args...).WithCode(code).WithHint("%s", hint)
	}
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		switch code := e.Code; {
		case code == "55P03", code == "40001", code == "40P01":
			return trouble("busy", "try again", "another process is writing to the store")
		case code == "53100":
			return trouble("disk_full", "free some space on the database server and try again; nothing was stored", "the disk of the database is full")
		case code == "25006":
			return trouble("read_only", "name the primary server in database_url, not a replica", "the database is read-only")
		case code == "28P01", strings.HasPrefix(code, "28"):
			return trouble("database_login", "check user and password in database_url", "%s refuses this user", s.name)
		case code == "3D000":
			return trouble("no_database", "make it with createdb, or name another one in database_url", "%s does not exist", s.name)
		case code == "42501":
			return trouble("database_rights", "give the user of database_url the rights to make tables in it (GRANT CREATE ON SCHEMA public), or let its owner migrate",
				"the database does not allow that: %s", e.Message)
		case code == "53300":
			return trouble("too_many_connections", "raise max_connections, or put a pool in between", "%s takes no more connections", s.name)
		case code == "54000", code == "54001", code == "22001":
			return engram.Errorf(engram.ErrTooLarge, "the text is too long to be stored").WithCode("too_large")
		case code == "22021", code == "22P05":
			return engram.Errorf(engram.ErrInvalid, "the text has a NUL character, or is not UTF-8, which PostgreSQL cannot store").
				WithCode("nul_character").WithHint("take it out")
		case strings.HasPrefix(code, "57P"), strings.HasPrefix(code, "08"), strings.HasPrefix(code, "53"), strings.HasPrefix(code, "58"):
			return trouble("database_down", "see whether the server runs, and try again", "%s does not answer: %s", s.name, e.Message)
		}
		return nil
	}
	if errors.Is(err, context.Canceled) && !isNet(err) {
		return nil
	}
	if isNet(err) {
		return trouble("database_down", "see whether the server runs and database_url is right, and try again", "%s cannot be reached", s.name)
	}
	if errors.Is(err, sql.ErrConnDone) && s.Store != nil && s.Closed() {
		return errClosed
	}
	return nil
}

// isNet reports whether a connection failed, not a statement.
func isNet(err error) bool {
	if _, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		return true
	}
	if _, ok := errors.AsType[*net.OpError](err); ok {
		return true
	}
	return errors.Is(err, driver.ErrBadConn) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) || errors.Is(err, net.ErrClosed) ||
		strings.Contains(err.Error(), "conn closed")
}
