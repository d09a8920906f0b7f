#!/usr/bin/env bash
# Measures, and writes the tables and plots of docs/benchmarks.md.
#
#   scripts/bench-docs.sh                      both parts
#   scripts/bench-docs.sh speed                one of them: retrieval, speed
#   scripts/bench-docs.sh --from DIR [PART]    of DIR/retrieval.json, DIR/speed.json: nothing is measured
#
# ENGRAM_BENCH is the folder of sets, ENGRAM bin/engram unless set, SIZES the
# sizes for speed. The reports and where they were measured are left in bin/bench.
set -euo pipefail
cd "$(dirname "$0")/.."

from=
if [ "${1:-}" = --from ]; then
	from=${2:?--from needs a folder}
	shift 2
fi
parts=${*:-retrieval speed}
page=docs/benchmarks.md
reports=bin/bench
engram=${ENGRAM:-bin/engram}

fail() {
	echo "bench-docs: $1" >&2
	exit 1
}

for part in $parts; do
	case $part in
	retrieval | speed) ;;
	*) fail "there is no part $part: use retrieval or speed" ;;
	esac
	grep -qx "<!-- begin $part -->" $page && grep -qx "<!-- end $part -->" $page || fail "$page has no place for $part"
	if [ -z "$from" ] && [ "$part" = retrieval ]; then
		[ -n "${ENGRAM_BENCH:-}" ] || fail "set ENGRAM_BENCH to the folder of sets"
	fi
done
mkdir -p $reports docs/plots
new=$(mktemp -d)
trap 'rm -rf "$new"' EXIT

where() {
	local cpu
	cpu=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo 2>/dev/null | head -1)
	echo "Measured $(date -u +%F) at $(git describe --always --dirty 2>/dev/null || echo "a tree without git"), $(getconf _NPROCESSORS_ONLN) cores${cpu:+ of $cpu}."
	echo
}

# measure PART ARG… leaves the report, draws the plot, prints Markdown.
measure() {
	local part=$1
	shift
	if [ -n "$from" ]; then
		[ ! -f "$from/$part.txt" ] || cat "$from/$part.txt"
		"$engram" bench "$part" --from "$from/$part.json" --svg "docs/plots/$part.svg" --markdown
		return
	fi
	where | tee "$reports/$part.txt"
	"$engram" bench "$part" "$@" --report "$reports/$part.json" --svg "docs/plots/$part.svg" --markdown
}

for part in $parts; do
	case $part in
	retrieval) measure retrieval ${ENGRAM_BENCH:+"$ENGRAM_BENCH"} --ablation ;;
	speed) measure speed --sizes "${SIZES:-1k,10k,100k,1M}" ;;
	esac >"$new/$part"
	alt="Recall@5 of each set"
	[ "$part" = speed ] && alt="Milliseconds of recall and save, by memories in the store"
	{
		echo
		echo "![$alt](plots/$part.svg)"
		echo
		cat "$new/$part"
		echo
	} >"$new/$part.md"
	awk -v part="$part" -v file="$new/$part.md" '
		$0 == "<!-- begin " part " -->" { print; while ((getline line < file) > 0) print line; skip = 1 }
		$0 == "<!-- end " part " -->" { skip = 0 }
		!skip' $page >"$new/page"
	cat "$new/page" >$page
done
