#!/usr/bin/env bash
# Runs every fuzz target of the module for FUZZTIME each, one after the other.
set -euo pipefail
cd "$(dirname "$0")/.."
time=${FUZZTIME:-5m}
found=0
while IFS=: read -r file line; do
	name=${line#func }
	name=${name%%(*}
	pkg=./$(dirname "$file")
	echo "== $pkg $name for $time"
	go test "$pkg" -run '^$' -fuzz "^$name\$" -fuzztime "$time" -fuzzminimizetime 10x
	found=$((found + 1))
done < <(grep -rn --include='*_test.go' -o 'func Fuzz[A-Za-z0-9]*(' . | sed -E 's/^\.\///; s/:[0-9]+:/:/')
[ "$found" -gt 0 ] || { echo "no fuzz target found" >&2; exit 1; }
echo "$found fuzz targets, no finding"
