#!/usr/bin/env bash
# Whether memories are found in the same order on arm64, and the encoder's kernels are
# right there: builds the tests of what computes scores and vectors for it, and runs them
# by qemu's user mode (Debian: qemu-user-static), or as they are on such a machine. The
# ranking that they are held against is made by this machine's processor.
set -euo pipefail
cd "$(dirname "$0")/.."

packages="internal/vector internal/embed internal/keyword internal/recall internal/recall/recalltest internal/encoder"

run=
if [ "$(go env GOHOSTARCH)" != arm64 ]; then
	run=$(command -v qemu-aarch64-static || command -v qemu-aarch64) || {
		echo "arm64: install qemu's user mode (apt-get install qemu-user-static)" >&2
		exit 1
	}
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export ENGRAM_GOLDEN_RANKING=$work/ranking.jsonl
CGO_ENABLED=0 go test -count=1 -run Golden ./internal/recall/recalltest

CGO_ENABLED=0 GOOS=linux GOARCH=arm64 go vet ./internal/encoder ./internal/vector # assembly and its declarations
for p in $packages; do
	CGO_ENABLED=0 GOOS=linux GOARCH=arm64 go test -c -o "$work/test" "./$p"
	echo "== $p"
	(cd "$p" && $run "$work/test" -test.timeout 20m) # some ten times slower than here
done

# The first processors of 64-bit ARM have no dot products of bytes.
if [ -n "$run" ]; then
	echo "== internal/encoder on a Cortex-A72"
	(cd internal/encoder && ENGRAM_TEST_TIER=neon QEMU_CPU=cortex-a72 $run "$work/test" -test.run 'GoldenVectors|Tiles|TierOf' -test.timeout 20m)
fi
