package postgres_test

import (
	"testing"

	"engram/internal/store"
	"engram/internal/store/postgres"
	"engram/internal/store/postgres/postgrestest"
	"engram/internal/store/storetest"
)

func open(t testing.TB, address string) *postgres.Store {
	t.Helper()
	s, err := postgres.Open(t.Context(), address, postgres.Options{Conns: 4})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestConformance(t *testing.T) {
	t.Parallel()
	postgrestest.Server(t)
	storetest.Run(t, storetest.Opener{
		TextOnly: true, NoFile: true,
		Open: func(t *testing.T) store.Store { return open(t, postgrestest.Schema(t)) },
		Pair: func(t *testing.T) (a, b store.Store) {
			address := postgrestest.Schema(t)
			return open(t, address), open(t, address)
		},
	})
}
