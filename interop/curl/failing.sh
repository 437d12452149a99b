#!/usr/bin/env bash
# curl against a server whose every handler fails (the example `failing`): what is on the wire of each failure, HTTP status
# and body, in the newest revision and in the last with a handshake. What is expected stands in ../failing.json.
# usage: failing.sh PATH_OF_THE_EXAMPLE
set -euo pipefail

FAILING=${1:?usage: failing.sh PATH_OF_THE_EXAMPLE}
TABLE=$(dirname "$0")/../failing.json
NEWEST=2026-07-28
LEGACY=2025-11-25
WORK=$(mktemp -d)
trap 'kill "${SERVER:-}" 2> /dev/null || true; rm -rf "$WORK"' EXIT

# The calls of the table in an era, one a line: its name, the capabilities, the request, Mcp-Method, Mcp-Name, what is
# expected. What a legacy peer says once in a session, a newer one says with each request.
CALLS='.[] | .capabilities as $capabilities | .calls | to_entries[] | .value as $call
  | (if $era == "legacy" then $call.legacy else null end // $call.expected) as $expected
  | {protocolVersion: $era, clientInfo: {name: "curl", version: "1.0.0"}, clientCapabilities: $capabilities} as $meta
  | (if $era == "legacy" then {} else {_meta: $meta | with_entries(.key |= "io.modelcontextprotocol/" + .)} end) as $meta
  | {jsonrpc: "2.0", id: 1, method: $call.method, params: ($call.params + $meta)} as $request
  | [.key, ($capabilities | tojson), ($request | tojson), $call.method, ($call.params | .name // .uri // ""),
     ({status: 200} + $expected | tojson)]
  | join("\u001f")'

INITIALIZE='{jsonrpc: "2.0", id: 0, method: "initialize",
  params: {protocolVersion: $version, capabilities: $capabilities, clientInfo: {name: "curl", version: "1.0.0"}}}'

# A reply in the words of the table, held against what is expected of it.
VERDICT='input | (if .result.isError then
    {toolError: [.result.content[].text] | join(""), structuredContent: .result.structuredContent,
     problem: .result._meta["dev.plainly/problem"]}
  elif .error then {error} else {inputRequests: .result.inputRequests} end
  + {status: $status} | with_entries(select(.value != null))) as $seen
  | ($seen | if .toolError then "isError, \(.toolError | tojson)"
    elif .error then .error | "\(.code), \(.message | tojson), \(.data | tojson)"
    else "asks for \(.inputRequests | tojson)" end) as $words
  | if $seen == $expected then "ok    \($name): \($status), \($words)"
    else "FAIL  \($name): \($seen | tojson)\n      expected \($expected | tojson)" end'

# post BODY HEADER...: writes the status to standard output, headers and body to files.
post() {
  local body=$1 header headers=()
  shift
  for header in "$@"; do headers+=(--header "$header"); done
  curl --silent --show-error --max-time 30 --dump-header "$WORK/headers" --output "$WORK/body" --write-out '%{http_code}' \
    --header 'Content-Type: application/json' --header 'Accept: application/json, text/event-stream' \
    "${headers[@]}" --data-binary "$body" "$URL"
}

# open CAPABILITIES: the handshake of the legacy era, and its session in SESSION.
open() {
  post "$(jq -n --arg version "$LEGACY" --argjson capabilities "$1" "$INITIALIZE")" > "$WORK/status"
  SESSION=$(sed -n 's/^mcp-session-id: *\([!-~]*\).*/\1/Ip' "$WORK/headers")
  post '{"jsonrpc":"2.0","method":"notifications/initialized"}' \
    "MCP-Protocol-Version: $LEGACY" "Mcp-Session-Id: $SESSION" > "$WORK/status"
  [ "$(cat "$WORK/status")" = 202 ] || { echo "FAIL  handshake: $(cat "$WORK/status" "$WORK/body")"; exit 1; }
}

# run ERA: all calls of the table.
run() {
  local era=$1 name capabilities request method of expected status opened='' headers
  while IFS=$'\x1f' read -r name capabilities request method of expected; do
    if [ "$era" = legacy ]; then
      if [ "$capabilities" != "$opened" ]; then open "$capabilities"; fi
      opened=$capabilities
      headers=("MCP-Protocol-Version: $LEGACY" "Mcp-Session-Id: $SESSION")
    else
      headers=("MCP-Protocol-Version: $era" "Mcp-Method: $method")
      if [ -n "$of" ]; then headers+=("Mcp-Name: $of"); fi
    fi
    status=$(post "$request" "${headers[@]}")
    jq -nr --arg name "curl, http, $era: $name" --argjson status "$status" --argjson expected "$expected" "$VERDICT" \
      "$WORK/body"
  done < "$WORK/calls.$era"
}

mkfifo "$WORK/said"
"$FAILING" 127.0.0.1:0 2> "$WORK/said" &
SERVER=$!
exec 3< "$WORK/said"
read -r URL <&3 || { echo 'the server ended without saying its address' >&2; exit 1; }
cat <&3 > /dev/null &
for era in "$NEWEST" legacy; do
  jq -r --arg era "$era" "$CALLS" "$TABLE" > "$WORK/calls.$era"
  run "$era"
done | tee "$WORK/verdicts"
passed=$(grep -c '^ok' "$WORK/verdicts" || true)
failed=$(grep -c '^FAIL' "$WORK/verdicts" || true)
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
