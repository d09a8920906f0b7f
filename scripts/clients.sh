#!/usr/bin/env bash
# Drives real clients against the binary, without an account and without a
# network once they are installed: the MCP Inspector's strict check, and Claude
# Code with a scripted model that saves a memory and finds it.
#
# ENGRAM_BIN      binary to test (default: built now)
# CLIENTS_CACHE   where the clients are installed (default: the user's cache)
set -euo pipefail
cd "$(dirname "$0")/.."

inspector=2.12.0
claude=2.1.332
node=22.23.5 # the Inspector needs 22.19 or later

fail() {
	echo "clients: $*" >&2
	exit 1
}

cache=${CLIENTS_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/engram-clients}
work=$(mktemp -d)
model=
cleanup() {
	[ -z "$model" ] || kill "$model" 2>/dev/null || true
	rm -rf "$work"
}
trap cleanup EXIT

# A package in a folder of its own, once.
install() {
	local dir=$cache/$1-$3
	if [ ! -e "$dir/done" ]; then
		command -v npm >/dev/null || fail "npm is needed to install $2@$3"
		mkdir -p "$dir"
		npm install --prefix "$dir" --no-audit --no-fund --loglevel=error "$2@$3" >&2 || fail "cannot install $2@$3"
		touch "$dir/done"
	fi
	echo "$dir/node_modules"
}

if ! node -e 'const [a, b] = process.versions.node.split("."); process.exit(a > 22 || a == 22 && b >= 19 ? 0 : 1)' 2>/dev/null; then
	case "$(uname -s)-$(uname -m)" in
	Linux-x86_64) platform=linux-x64 ;;
	Linux-aarch64) platform=linux-arm64 ;;
	Darwin-arm64) platform=darwin-arm64 ;;
	Darwin-x86_64) platform=darwin-x64 ;;
	*) fail "install Node 22.19 or later" ;;
	esac
	modules=$(install node "node-$platform" "$node")
	PATH=$modules/node-$platform/bin:$PATH
fi
modules=$(install inspector @modelcontextprotocol/inspector "$inspector")
PATH=$modules/.bin:$PATH
modules=$(install claude @anthropic-ai/claude-code "$claude")
PATH=$modules/.bin:$PATH
export PATH

bin=${ENGRAM_BIN:-}
if [ -z "$bin" ]; then
	CGO_ENABLED=0 go build -trimpath -o "$work/engram" ./cmd/engram
	bin=$work/engram
fi
bin=$(cd "$(dirname "$bin")" && pwd)/$(basename "$bin")

# Nothing of the user's is read or written from here on. The clients hand few
# variables on to the server: the home is one that they all do.
export HOME=$work/home
unset XDG_CONFIG_HOME XDG_CACHE_HOME ENGRAM_DATA_DIR ENGRAM_PROJECT
mkdir -p "$HOME" "$work/project"
cd "$work/project"

echo "== MCP Inspector $inspector"
for tools in all agent admin; do
	for era in legacy modern; do
		mcp-inspector --cli "$bin" mcp "--tools=$tools" --protocol-era "$era" --method tools/list --strict \
			>list.json 2>list.err || fail "Inspector, $tools, $era: $(cat list.err)"
		if grep -iE 'portab|warning' list.err; then fail "Inspector warns of $tools, $era"; fi
		echo "tools/list, $tools, $era: $(grep -c '"inputSchema"' list.json) tools"
	done
done
call() {
	local tool=$1
	shift
	mcp-inspector --cli "$bin" mcp --method tools/call --tool-name "$tool" --tool-arg "$@"
}
call mem_save title='Ferry timetable' content='The ferry to the island leaves every twenty minutes.' | grep -q '"status": "created"' || fail "Inspector cannot save"
call mem_search query='When does the ferry leave?' limit=3 | grep -q 'Ferry timetable' || fail "Inspector does not find what it saved"
echo "tools/call: saved and found"

echo "== Claude Code $claude"
export DISABLE_AUTOUPDATER=1 CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 IS_SANDBOX=1
claude mcp add engram -- "$bin" mcp >/dev/null || fail "claude mcp add"
claude mcp list | tee list.txt
grep -q 'engram.*Connected' list.txt || fail "claude mcp list does not say Connected"

cat >plan.json <<'PLAN'
[
  {"tool": "mem_save", "input": {"title": "Lighthouse keeper", "content": "The lighthouse keeper is called Margarethe.", "type": "discovery"}},
  {"tool": "mem_search", "input": {"query": "What is the lighthouse keeper called?"}},
  {"tool": "mem_search", "input": {"query": "When does the ferry leave?"}}
]
PLAN
LOG=$work/requests.jsonl PLAN=plan.json node "$OLDPWD/scripts/clients/model.mjs" >port &
model=$!
for _ in $(seq 100); do
	[ -s port ] && break
	sleep 0.1
done
[ -s port ] || fail "the scripted model did not start"
ANTHROPIC_BASE_URL=http://127.0.0.1:$(cat port) ANTHROPIC_API_KEY=none \
	claude -p 'Use your memory.' --allowedTools 'mcp__engram__*' --output-format json </dev/null >answer.json || fail "claude -p: $(cat answer.json)"

# What the model saw of the answers is in its last request.
node - "$work/requests.jsonl" <<'CHECK' || fail "Claude Code did not save and find"
const { readFileSync } = require('node:fs');
const requests = readFileSync(process.argv[2], 'utf8').trim().split('\n').map((line) => JSON.parse(line));
const last = requests.reduce((a, b) => (b.messages.length >= a.messages.length ? b : a));
const results = last.messages.flatMap((m) => (Array.isArray(m.content) ? m.content : [])).filter((b) => b.type === 'tool_result').map((b) => JSON.stringify(b.content));
const want = [/\\"status\\":\\"created\\"/, /Margarethe/, /twenty minutes/];
want.forEach((pattern, i) => console.log(`step ${i + 1}: ${results[i]?.slice(0, 200)}`));
process.exit(want.every((pattern, i) => pattern.test(results[i] ?? '')) ? 0 : 1);
CHECK
call mem_search query='Who keeps the lighthouse?' | grep -q Margarethe || fail "another process does not find what Claude Code saved"
echo "clients: all passed"
