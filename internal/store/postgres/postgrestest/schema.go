// Package postgrestest gives tests a place of their own in a PostgreSQL server. Without
// a server they skip, and fail in CI, which starts one.
package postgrestest

import (
	"context"
	"crypto/rand"
	"database/sql"
	"net/url"
	"os"
	"strings"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver
)

// variable names a database in which tests may make schemas, and in which the
// extensions are.
const variable = "ENGRAM_TEST_POSTGRES"

// Server is the address of the database for tests.
func Server(t testing.TB) string {
	t.Helper()
	address := os.Getenv(variable)
	if address != "" {
		return address
	}
	if os.Getenv("CI") != "" {
		t.Fatal(variable + " is not set: CI starts a server with scripts/postgres.sh")
	}
	t.Skip(`no PostgreSQL: run eval "$(scripts/postgres.sh start)", which sets ` + variable)
	return ""
}

// Schema makes a schema for the length of a test, and gives its address.
func Schema(t testing.TB) string {
	t.Helper()
	address := Server(t)
	db, err := sql.Open("pgx", address)
	if err != nil {
		t.Fatal(err)
	}
	name := "test_" + strings.ToLower(rand.Text())
	if _, err := db.ExecContext(t.Context(), `CREATE SCHEMA `+name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := db.ExecContext(context.Background(), `DROP SCHEMA `+name+` CASCADE`); err != nil {
			t.Errorf("drop schema: %v", err)
		}
		if err := db.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	q.Set("search_path", name+",public")
	u.RawQuery = q.Encode()
	return u.String()
}
