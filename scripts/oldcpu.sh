#!/usr/bin/env bash
# Whether the encoder runs on older amd64 processors, with the kernels that those can run: its
# tests by qemu's user mode (Debian: qemu-user-static; 7.2 or later, which has AVX2).
# An instruction that a processor lacks would end them.
set -euo pipefail
cd "$(dirname "$0")/.."

qemu=$(command -v qemu-x86_64-static || command -v qemu-x86_64) || {
	echo "oldcpu: install qemu's user mode (apt-get install qemu-user-static)" >&2
	exit 1
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
CGO_ENABLED=0 GOOS=linux GOARCH=amd64 go test -c -o "$work/test" ./internal/encoder
cd internal/encoder

# on TIER PROCESSOR [FLAG...]: the tests on a processor that should have this tier.
on() {
	echo "== $2: $1"
	ENGRAM_TEST_TIER=$1 "$qemu" -cpu "$2" "$work/test" -test.timeout 20m "${@:3}" # some ten times slower than here
}

# What qemu does not have either, and would say so for every thread.
haswell=Haswell-noTSX,-pcid,-x2apic,-tsc-deadline,-invpcid

on plain Westmere # of 2010 has nothing that the kernels use
on avx2 $haswell  # of 2013 has AVX2, not AVX-512
on plain $haswell,-fma -test.run TierOfTheProcessor
