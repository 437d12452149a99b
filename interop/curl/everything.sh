#!/usr/bin/env bash
# curl against a server that does everything (the example `everything`): what is on the wire over HTTP when a server says
# more than its reply, in the newest revision and in the last with a handshake. When it is JSON and when a stream of events,
# how a question goes out and its answer comes in, a call that becomes a task, what a call that is given up leaves behind.
# usage: everything.sh PATH_OF_THE_EXAMPLE
set -euo pipefail

EVERYTHING=${1:?usage: everything.sh PATH_OF_THE_EXAMPLE}
NEWEST=2026-07-28
LEGACY=2025-11-25
JSON=application/json
SSE=text/event-stream
WORK=$(mktemp -d)
trap 'kill "${SERVER:-}" 2> /dev/null || true; rm -rf "$WORK"' EXIT

FORM='{"elicitation":{"form":{}}}'
TASKS='{"extensions":{"io.modelcontextprotocol/tasks":{}}}'
ADA='{"action":"accept","content":{"name":"ada"}}'

passed=0
failed=0

# holds NAME CONDITION [FILE]: whether jq finds that the condition holds of the messages of the last reply.
holds() {
  local name="$ERA: $1"
  if jq -es "$2" "${3:-$WORK/messages}" > /dev/null; then
    passed=$((passed + 1))
    echo "ok    curl, http, $name"
  else
    failed=$((failed + 1))
    printf 'FAIL  curl, http, %s: %s\n      %s\n' "$name" "$2" "$(jq -cs . "${3:-$WORK/messages}")"
  fi
}

# is NAME SEEN EXPECTED
is() {
  jq -n --arg seen "$2" '$seen' > "$WORK/seen"
  holds "$1" ".[0] == \"$3\"" "$WORK/seen"
}

# The messages of a reply, a line each, whether it is JSON or a stream of events.
messages() {
  if grep -qi "^content-type: $SSE" "$WORK/headers"; then sed -n 's/^data: *\(.\)/\1/p' "$WORK/body"; else cat "$WORK/body"; fi
}

# What the last reply is: status and content type.
kind() {
  local status type
  status=$(sed -n 's/^HTTP[^ ]* \([0-9]*\).*/\1/p' "$WORK/headers" | tail -1)
  type=$(sed -n 's/^content-type: *\([^;[:space:]]*\).*/\1/Ip' "$WORK/headers")
  echo "$status $type"
}

# post BODY HEADER...: the reply, in files.
post() {
  local body=$1 header headers=()
  shift
  for header in "$@"; do headers+=(--header "$header"); done
  curl --silent --show-error --no-buffer --max-time "${SECONDS_TO_WAIT:-30}" --dump-header "$WORK/headers" \
    --output "$WORK/body" --header "Content-Type: $JSON" --header "Accept: $JSON, $SSE" \
    "${headers[@]}" --data-binary "$body" "$URL"
  messages > "$WORK/messages"
}

# request METHOD NAME PARAMS META CAPABILITIES: a request as the era writes it. What a legacy peer says once in a session, a
# newer one says with each request.
request() {
  local method=$1 name=$2 params=$3 meta=$4 capabilities=$5 body headers
  body=$(jq -nc --argjson id "${ID:-1}" --arg era "$ERA" --arg method "$method" --argjson params "$params" --argjson meta "$meta" \
    --argjson capabilities "$capabilities" '
    {protocolVersion: $era, clientInfo: {name: "curl", version: "1.0.0"}, clientCapabilities: $capabilities} as $peer
    | (if $era == "'$LEGACY'" then {} else $peer | with_entries(.key |= "io.modelcontextprotocol/" + .) end + $meta) as $meta
    | {jsonrpc: "2.0", id: $id, method: $method, params: ($params + {_meta: $meta})}')
  headers=("MCP-Protocol-Version: $ERA" "Mcp-Method: $method" "Mcp-Name: $name")
  if [ "$ERA" = "$LEGACY" ]; then headers=("MCP-Protocol-Version: $ERA" "Mcp-Session-Id: $SESSION"); fi
  post "$body" "${headers[@]}"
}

# call TOOL [PARAMS] [META] [CAPABILITIES]
call() {
  local params
  params=$(jq -nc --arg tool "$1" --argjson params "${2:-"{}"}" '{name: $tool, arguments: {}} + $params')
  request tools/call "$1" "$params" "${3:-"{}"}" "${4:-"{}"}"
}

# task METHOD ID
task() {
  request "$1" "$2" "{\"taskId\":\"$2\"}" '{}' "$TASKS"
}

# open CAPABILITIES: the handshake of the legacy era, and its session in SESSION.
open() {
  post "$(jq -nc --argjson capabilities "$1" '{jsonrpc: "2.0", id: 0, method: "initialize",
    params: {protocolVersion: "'$LEGACY'", capabilities: $capabilities, clientInfo: {name: "curl", version: "1.0.0"}}}')"
  SESSION=$(sed -n 's/^mcp-session-id: *\([!-~]*\).*/\1/Ip' "$WORK/headers")
  tell '{"jsonrpc":"2.0","method":"notifications/initialized"}'
}

# tell MESSAGE: one that has no reply, within the session.
tell() {
  post "$1" "MCP-Protocol-Version: $LEGACY" "Mcp-Session-Id: $SESSION"
}

# until_it NAME COMMAND...: waits until the command succeeds, for ten seconds.
until_it() {
  local name=$1 turn
  shift
  for turn in $(seq 100); do
    if "$@" > /dev/null 2>&1; then
      passed=$((passed + 1))
      echo "ok    curl, http, $ERA: $name"
      return
    fi
    sleep 0.1
  done
  failed=$((failed + 1))
  echo "FAIL  curl, http, $ERA: $name, after $turn turns"
}

ended() {
  task tasks/get "$1" && jq -e '.result.status == "cancelled"' "$WORK/messages"
}

# Another call may be in flight: a session has each id once.
nobody_waits() {
  ID=2 call test_waiting && jq -e '.result.content[0].text == "0"' "$WORK/messages"
}

one_waits() {
  ID=2 call test_waiting && jq -e '.result.content[0].text == "1"' "$WORK/messages"
}

# What is the same in both eras.
telling() {
  call test_simple_text
  is 'a reply alone is JSON' "$(kind)" "200 $JSON"
  call test_tool_with_progress '{}' '{"progressToken":"p"}'
  is 'a reply after progress is a stream' "$(kind)" "200 $SSE"
  is 'no proxy may hold the stream back' "$(sed -n 's/^x-accel-buffering: *\([a-z]*\).*/\1/Ip' "$WORK/headers")" no
  holds 'progress goes before the reply' 'map(.params.progress // .result.content[0].type) == [0, 50, 100, "text"]'
  holds 'progress has its token' '[.[0:3][].params | .progressToken == "p" and .total == 100] | all'
  call test_tool_with_progress
  is 'progress without a token is not told' "$(kind)" "200 $JSON"
}

newest() {
  ERA=$NEWEST
  telling
  call test_logging_tool '{}' '{"io.modelcontextprotocol/logLevel":"info"}'
  holds 'a log that is wished for' 'map(.params.level // .result.content[0].type) == ["info", "info", "info", "text"]'
  call test_logging_tool '{}' '{"io.modelcontextprotocol/logLevel":"error"}'
  is 'a log that is not wished for' "$(kind)" "200 $JSON"

  call test_missing_capability
  is 'what the client can not do' "$(kind)" "400 $JSON"
  holds 'names what it would have to' '.[0].error | .code == -32021 and .data.requiredCapabilities == {sampling: {}}'

  call test_input_required_result_elicitation '{}' '{}' "$FORM"
  is 'a question is a reply' "$(kind)" "200 $JSON"
  holds 'the question' '.[0].result | .resultType == "input_required"
    and .inputRequests.user_name.method == "elicitation/create" and (.requestState | type) == "string"'
  local state
  state=$(jq -r .result.requestState "$WORK/messages")
  retry() {
    jq -nc --argjson ada "$ADA" --arg state "$1" '{inputResponses: {user_name: $ada}, requestState: $state}'
  }
  call test_input_required_result_elicitation "$(retry "$state")" '{}' "$FORM"
  holds 'the answer' '.[0].result | .resultType == "complete" and .content[0].text == "Hello, ada!"'
  call test_input_required_result_elicitation "$(retry "$state-")" '{}' "$FORM"
  holds 'a state that was changed is refused' '.[0].error.code == -32602'
  call test_streaming_elicitation "$(retry "$state")" '{}' "$FORM"
  holds 'so is the state of another tool' '.[0].error.code == -32602'

  call slow_compute '{"arguments":{"seconds":60}}' '{}' "$TASKS"
  holds 'a call becomes a task' '.[0].result | .resultType == "task" and .status == "working"'
  local id
  id=$(jq -r .result.taskId "$WORK/messages")
  task tasks/get "$id"
  holds 'the task works' '.[0].result.status == "working"'
  local listening=$WORK/listening
  mkdir "$listening"
  # It ends with the server.
  (WORK=$listening request subscriptions/listen '' "{\"notifications\":{\"taskIds\":[\"$id\"]}}" '{}' "$TASKS" \
    2> /dev/null) &
  until_it 'the task can be listened to' grep -q 'acknowledged.*taskIds' "$listening/body"
  task tasks/cancel "$id"
  holds 'the task is cancelled' '.[0].result.resultType == "complete"'
  until_it 'it has ended' ended "$id"
  until_it 'its end is told' grep -q 'notifications/tasks.*"cancelled"' "$listening/body"

  SECONDS_TO_WAIT=0.5 call test_wait 2> "$WORK/errors" || true
  until_it 'a call whose connection is closed is given up' nobody_waits
}

legacy() {
  ERA=$LEGACY
  open "$FORM"
  telling
  post '{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"info"}}' \
    "MCP-Protocol-Version: $LEGACY" "Mcp-Session-Id: $SESSION"
  holds 'the level of logs' '.[0].result == {}'
  call test_tool_with_logging
  holds 'a log that is wished for' 'map(.params.level // .result.content[0].type) == ["info", "info", "info", "text"]'

  call test_missing_capability
  holds 'what the client can not do' '.[0] | has("error") or .result.isError'

  local asking=$WORK/asking
  mkdir "$asking"
  (WORK=$asking call test_input_required_result_elicitation) &
  until_it 'a question goes out on the stream of the call' grep -q elicitation/create "$asking/body"
  local question
  question=$(sed -n 's/^data: *\({.*elicitation.*\)/\1/p' "$asking/body" | jq .id)
  tell "$(jq -nc --argjson id "$question" --argjson ada "$ADA" '{jsonrpc: "2.0", id: $id, result: $ada}')"
  is 'its answer is taken' "$(sed -n 's/^HTTP[^ ]* \([0-9]*\).*/\1/p' "$WORK/headers")" 202
  wait $!
  holds 'the reply' '.[-1].result.content[0].text == "Hello, ada!"' "$asking/messages"

  (WORK=$asking call test_wait) &
  until_it 'a call runs' one_waits
  tell '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}'
  until_it 'a call that is cancelled is given up' nobody_waits
  wait $! || true
}

mkfifo "$WORK/said"
"$EVERYTHING" 127.0.0.1:0 2> "$WORK/said" &
SERVER=$!
exec 3< "$WORK/said"
read -r URL <&3 || { echo 'the server ended without saying its address' >&2; exit 1; }
cat <&3 > /dev/null &
newest
legacy
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
