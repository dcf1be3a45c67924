import type { Peer } from './peer.ts';

/**
 * The agent that every peer gets: a `claude` that thinks for no time. It takes the prompt as an argument or from
 * standard input, answers as text, `json` or `stream-json`, and notes when it began and ended, how many processes and
 * threads there had been, and how much memory the peer's processes hold.
 *
 * bash, for a clock and reads that start no process. Reviews of ralph it approves.
 *
 * @param lab folder for the notes and for `calm`: a file that makes a misbehaving agent behave
 * @param script shell text of what it does instead of its work; it may set `$text` and `$code`
 */
export function stubAgent(peer: Peer, lab: string, script: string): string {
  return `#!/usr/bin/env bash
start=$EPOCHREALTIME
for word in "$@"; do [ "$word" = --version ] && { echo '2.1.330 (Claude Code)'; exit; }; done
read -r pids </proc/sys/kernel/ns_last_pid
prompt=; before=; format=text
for word in "$@"; do
  case $before in
    -p | --print) [[ $word == -* ]] || prompt=given ;;
    --output-format) format=$word ;;
  esac
  before=$word
done
[ "$prompt" ] || mapfile -d '' -t ignored
memory=0
for file in /proc/[0-9]*/status; do
  case $file in "/proc/$$/status" | /proc/1/status | "/proc/$(<'${lab}/cell')/status") continue ;; esac
  while read -r name value _; do [ "$name" = VmRSS: ] && memory=$((memory + value)); done <"$file"
done 2>/dev/null
echo "start $$ $start $pids $memory $RALPH_MODE" >>'${lab}/notes'
cd '${lab}/project' || exit 9
work() { local n=1; while [ -e "src/story-$n.txt" ]; do n=$((n + 1)); done; echo "story $n" >"src/story-$n.txt"; }
claim() { ${peer.markNext || ':'}; }
open() { grep -q -e '- \\[ \\]' -e '"passes": false' '${peer.taskFile}' 2>/dev/null; }
answer() {
  local text=$1
  case $format in
    text) printf '%b\\n' "$text" ;;
    *)
      local reply='"session_id":"s","result":"'"$text"'"'
      if [ $format = stream-json ]; then
        echo '{"type":"system","subtype":"init","session_id":"s","model":"m","tools":[],"claude_code_version":"2.1.330"}'
        echo '{"type":"assistant","session_id":"s","message":{"role":"assistant","content":[{"type":"text","text":"'"$text"'"}]}}'
      fi
      echo '{"type":"result","subtype":"success","is_error":false,"terminal_reason":"completed","num_turns":1,"duration_ms":1,"total_cost_usd":0.01,"usage":{"input_tokens":10,"output_tokens":5},'"$reply"'}'
      ;;
  esac
}
finished() { if open; then answer '${peer.says.done}'; else answer '${peer.says.allDone}'; fi; }
code=0
if [ "$RALPH_MODE" = review ]; then
  answer 'Fine.\\n---RALPH_STATUS---\\nSTATUS: COMPLETE\\nREVIEW: APPROVED\\nEXIT_SIGNAL: true\\n---END_RALPH_STATUS---'
elif [ -e '${lab}/calm' ]; then
  open && work && claim
  finished
else
  ${script}
fi
read -r pids </proc/sys/kernel/ns_last_pid
echo "end $$ $EPOCHREALTIME $pids" >>'${lab}/notes'
exit $code
`;
}

/** What an honest agent does. */
export const HONEST = 'open && work && claim; finished';

/** One start of the stub. Times are milliseconds of the wall clock; null: it was ended before it could note that. */
export interface Visit {
  readonly start: number;
  readonly end: number | null;
  readonly pidsAtStart: number;
  readonly pidsAtEnd: number | null;
  readonly memoryMb: number;
}

/** Reads the notes of the stub, in the order of the starts. */
export function readVisits(notes: string): readonly Visit[] {
  const lines = notes
    .split('\n')
    .filter(Boolean)
    .map((line) => line.split(' '));
  const ends = new Map(lines.filter(([kind]) => kind === 'end').map((line) => [line[1], line]));
  return lines
    .filter(([kind]) => kind === 'start')
    .map(([, pid, start, pids, memory]) => {
      const end = ends.get(pid);
      return {
        start: Number(start) * 1000,
        end: end === undefined ? null : Number(end[2]) * 1000,
        pidsAtStart: Number(pids),
        pidsAtEnd: end === undefined ? null : Number(end[3]),
        memoryMb: Number(memory) / 1024,
      };
    });
}
