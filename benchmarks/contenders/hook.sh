#!/usr/bin/env bash
# The stop hook of a hand-off, as one writes it with bash and jq: what the agent said last, the marker
# outside of code blocks, the mode, one claim for a turn.
set -euo pipefail

payload=$(cat)
{
  read -r event
  read -r agent
  read -r session
  read -r turn
  read -r cwd
  read -r transcript
  read -r told
} < <(jq -r '.hook_event_name // "", .agent_id // "", .session_id // "", .prompt_id // "", .cwd // "",
  .transcript_path // "", has("last_assistant_message")' <<<"$payload")
[ "$event" = Stop ] && [ -z "$agent" ] || exit 0

if [ "$told" = true ]; then
  message=$(jq -r .last_assistant_message <<<"$payload")
else
  # The last lines are enough here, newest first; torn ones are skipped.
  message=$(tac "$transcript" 2>/dev/null | head -n 200 | jq -rRs '
    [split("\n")[] | fromjson? | select(.isSidechain | not)
      | select(.type == "user" or .type == "assistant")] | .[0]
    | if .type == "user" then ""
      else [.message.content[]? | select(.type == "text") | .text] | join("\n") end' 2>/dev/null) || true
fi
[[ $message == *GSD_SPAWN:* ]] || exit 0

command='' fence=
while IFS= read -r line; do
  if [[ $line == '```'* ]]; then
    [ -z "$fence" ] && fence=yes || fence=
  elif [ -z "$fence" ] && [[ $line =~ ^\ {0,3}GSD_SPAWN:[[:space:]]*(/[^\`]+)$ ]]; then
    command=${BASH_REMATCH[1]}
  fi
done <<<"$message"
[ -n "$command" ] || exit 0

mode=$(jq -r '.mode // "interactive"' "$cwd/.planning/config.json" 2>/dev/null || echo interactive)
if [ "$mode" != yolo ]; then
  jq -n --arg command "$command" '{systemMessage: "next is \($command)"}'
  exit 0
fi
key=$(printf '%s\0%s\0%s' "$session" "$turn" "$message" | sha256sum | cut -d' ' -f1)
mkdir -p "$HOOK_STATE"
mkdir "$HOOK_STATE/$key" 2>/dev/null || exit 0
jq -n --arg command "$command" '{systemMessage: "would hand off to \($command)"}'
