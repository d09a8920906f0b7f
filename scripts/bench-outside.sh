#!/usr/bin/env bash
# Measures sets from outside: each is imported into an engram serve of its own,
# and asked through its API. What else a store holds changes how rare a word is,
# so that one store for all sets would give other figures.
#
#   scripts/bench-outside.sh DIR…
#
# ENGRAM is bin/engram unless set.
set -euo pipefail
engram=${ENGRAM:-$(dirname "$0")/../bin/engram}
[ $# -gt 0 ] || { echo "name folders of sets" >&2; exit 2; }
data=$(mktemp -d)
server=
stop() {
	if [ -n "$server" ]; then
		kill "$server" && wait "$server" || true
		server=
	fi
}
trap 'stop; rm -rf "$data"' EXIT

for set in "$@"; do
	store=$data/$(basename "$set")
	"$engram" serve --port 0 --json --data-dir "$store" >"$store.out" 2>"$store.err" &
	server=$!
	url=
	for _ in $(seq 100); do
		url=$(sed -n 's/.*"url": "\(.*\)".*/\1/p' "$store.out")
		[ -n "$url" ] && break
		kill -0 "$server" 2>/dev/null || { cat "$store.err" >&2; exit 1; }
		sleep 0.1
	done
	[ -n "$url" ] || { echo "engram serve does not say where it listens" >&2; exit 1; }
	"$engram" bench retrieval "$set" --url "$url" --token "$(cat "$store/token")"
	stop
done
